/**
 * Starts the example application: installs its dependencies, builds the package, and starts Vite. Arguments are those of Vite.
 *
 *   npm run example
 *   npm run example -- --port 8080
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { linkPackage } from "./link-package.js";
import { npmCi } from "./npm-ci.js";
import { runScript } from "./run-script.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const app = join(root, "examples/app");
const modules = join(app, "node_modules");

async function main(): Promise<void> {
  npmCi(app);
  await run("npm", ["run", "--silent", "build"], root);
  linkPackage(modules);
  await run(process.execPath, [join(modules, "vite/bin/vite.js"), ...process.argv.slice(2)], app);
}

/** Runs a program to its end. It ends together with this one. */
function run(program: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  const kill = (signal: NodeJS.Signals) => child.kill(signal);
  process.once("SIGTERM", kill).once("SIGINT", kill);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", kill).off("SIGINT", kill);
      if (code === 0 || signal !== null) resolve();
      else reject(new Error(`${program} ${args.join(" ")} failed with code ${code}.`));
    });
  });
}

await runScript(import.meta.url, main);
