/**
 * The documentation site:
 *
 *   npm run docs            builds it into `site/`
 *   npm run docs -- dev     serves the pages as they are edited
 *   npm run docs -- install installs the packages that the others need
 *   npm run docs -- check   builds it into a folder that is removed
 *   npm run docs:preview    serves `site/`
 *
 * VitePress and its plugins are installed into `docs/`, which has a lock file of its own.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmCi } from "../npm-ci.js";
import { runScript } from "../run-script.js";
import { fileOf, printCommand, printIndex, readCommands } from "./commands.js";
import { printDescription } from "./description.js";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const commands = ["build", "check", "dev", "install", "preview"];

async function main(): Promise<void> {
  const [command = "build", ...flags] = process.argv.slice(2);
  if (!commands.includes(command)) throw new Error(`Expected ${commands.join(", ")}, got "${command}".`);
  if (command === "preview" && !existsSync(join(docs, "../site"))) throw new Error("Run `npm run docs` before.");
  npmCi(docs);
  if (command === "install") return;
  if (command !== "preview") await writePages();
  if (command !== "check") return run("vitepress/bin/vitepress.js", command, ".", ...flags);
  // A failed link or page fails the build.
  const folder = await mkdtemp(join(tmpdir(), "site-"));
  try {
    run("vitepress/bin/vitepress.js", "build", ".", "--outDir", folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes the pages that are not written by hand: of the types, the description, the changes, and each command. */
async function writePages(): Promise<void> {
  const read = (file: string) => readFile(join(docs, "..", file), "utf8");
  const write = (file: string, text: string) => writeFile(join(docs, file), text);
  run("typedoc/bin/typedoc");
  const description = await read("openapi.yaml");
  await write("public/openapi.yaml", description);
  await write("openapi.md", printDescription(description));
  await write("changelog.md", (await read("CHANGELOG.md")).replaceAll("](docs/", "]("));
  await rm(join(docs, "commands"), { recursive: true, force: true });
  await mkdir(join(docs, "commands"));
  const pages = readCommands();
  await write("commands/index.md", printIndex(pages));
  for (const page of pages) await write(join("commands", fileOf(page.name)), await printCommand(page));
}

/** Runs a tool in `docs/` to its end. */
function run(tool: string, ...args: string[]): void {
  execFileSync(process.execPath, [join(docs, "node_modules", tool), ...args], { cwd: docs, stdio: "inherit" });
}

await runScript(import.meta.url, main);
