import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { npmCi } from "../../../scripts/npm-ci.js";
import { stageCommandLine } from "../../../scripts/stage-command-line.js";
import { folderOfFile } from "../../support/folder.js";
import { run } from "../../support/run.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The modules of this folder: binaries of runtimes and compilers. */
export const binaries = join(here, "node_modules");
export const nodeBinary = (version: string): string => join(binaries, `node${version}`, "bin/node");

/** Installs the packed tarballs in a folder for a test file, next to the files of `consumer`. Returns the path of the folder. */
export async function installConsumer(): Promise<string> {
  npmCi(here);
  const folder = (await folderOfFile())();
  await cp(join(here, "consumer"), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  // It was built before the tests.
  const env = { ...process.env, npm_config_ignore_scripts: "true" };
  const pack = async (cwd: string) => {
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd, env });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
    return `./${filename}`;
  };
  const commandLine = join(folder, "vegaprotocol-cli");
  stageCommandLine(commandLine);
  const packed = [await pack(root), await pack(commandLine)];
  await run("npm", ["install", "--no-audit", "--no-fund", ...packed], { cwd: folder });
  // The tests once more as CommonJS, which requires the package.
  await build({
    entryPoints: ["suite.mjs", "listen.mjs"].map((file) => join(folder, file)),
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    target: "es2022",
  });
  return folder;
}
