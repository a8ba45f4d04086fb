/** Compiles the package into `dist/`, which is deleted first, so that no file of an earlier build remains. */
import { spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { runScript } from "./run-script.js";

async function main(): Promise<void> {
  await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "--project", "tsconfig.build.json"], { stdio: "inherit" });
  if (status !== 0) throw new Error("The compiler failed.");
}

await runScript(import.meta.url, main);
