/**
 * Writes the command line to a new folder as it is published, with the version of the client that it needs instead of the link of the
 * workspace: `tsx scripts/stage-command-line.ts FOLDER`. It has to be built.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { printManual, readCommands } from "./docs/commands.js";
import { runScript } from "./run-script.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The files of the package, and their sources. */
const files = {
  dist: "cli/dist",
  "README.md": "cli/README.md",
  "CHANGELOG.md": "CHANGELOG.md",
  LICENSE: "LICENSE",
};

/** `package.json` of the command line as it is published. */
export function readPublished() {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const { version, repository } = read("package.json");
  const { private: _, scripts: __, dependencies, ...manifest } = read("cli/package.json");
  return {
    ...manifest,
    man: "./man/vegaprotocol.1",
    files: [...manifest.files, "man"],
    ...(repository && { repository }),
    dependencies: { ...dependencies, "vegaprotocol-client": version },
  };
}

export function stageCommandLine(folder: string): void {
  mkdirSync(folder);
  for (const [name, from] of Object.entries(files)) cpSync(join(root, from), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "man"));
  writeFileSync(join(folder, "man/vegaprotocol.1"), printManual(readCommands(), readPublished().version));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(readPublished(), null, 2)}\n`);
}

await runScript(import.meta.url, () => {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Expected the name of a folder that does not exist.");
  stageCommandLine(folder);
});
