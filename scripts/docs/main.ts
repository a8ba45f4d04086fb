/**
 * The documentation site:
 *
 *   npm run docs            builds it into `site/`
 *   npm run docs -- dev     serves the pages as they are edited
 *   npm run docs -- install installs what the others need
 *   npm run docs -- check   builds it into a folder that is removed
 *   npm run docs:preview    serves `site/`
 *
 * VitePress and its plugins are installed into `docs/`, which has a lock file of its own.
 */
import { spawn } from "node:child_process";
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
  if (command !== "preview") {
    await run("typedoc/bin/typedoc");
    await writeDescription();
    await copyChangelog();
    await writeCommands();
  }
  if (command === "check") return buildElsewhere();
  await run("vitepress/bin/vitepress.js", command, ".", ...flags);
}

/** Builds the site and keeps nothing: a failed link or page fails the build. */
async function buildElsewhere(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "site-"));
  try {
    await run("vitepress/bin/vitepress.js", "build", ".", "--outDir", folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Copies the description, and prints it as a page. */
async function writeDescription(): Promise<void> {
  const description = await readFile(join(docs, "../openapi.yaml"), "utf8");
  await writeFile(join(docs, "public/openapi.yaml"), description);
  await writeFile(join(docs, "openapi.md"), printDescription(description));
}

/** Prints a page for each command of the command line. */
async function writeCommands(): Promise<void> {
  const folder = join(docs, "commands");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const commands = readCommands();
  await writeFile(join(folder, "index.md"), printIndex(commands));
  for (const command of commands) await writeFile(join(folder, fileOf(command.name)), await printCommand(command));
}

/** Copies the changelog next to the pages. */
async function copyChangelog(): Promise<void> {
  const changelog = await readFile(join(docs, "../CHANGELOG.md"), "utf8");
  await writeFile(join(docs, "changelog.md"), changelog.replaceAll("](docs/", "]("));
}

/** Runs a tool in `docs/` to its end. */
function run(tool: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(docs, "node_modules", tool), ...args], { cwd: docs, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${tool} failed with status ${code}.`))));
  });
}

await runScript(import.meta.url, main);
