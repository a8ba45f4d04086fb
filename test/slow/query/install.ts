import { execFile } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "node_modules");

// Before anything is imported from these packages. The package itself is the build of the project.
if (!existsSync(modules)) await promisify(execFile)("npm", ["ci"], { cwd: here });
if (!existsSync(join(modules, "vegaprotocol-client"))) symlinkSync("../../../..", join(modules, "vegaprotocol-client"));
