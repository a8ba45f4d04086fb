/** Compiles the package into `dist/`, from nothing, so that no file of an earlier build is left in it. */

import { spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";

await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", "tsconfig.build.json"], { stdio: "inherit" });
process.exitCode = status ?? 1;
