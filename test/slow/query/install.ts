import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { linkPackage } from "../../../scripts/link-package.js";

export const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "node_modules");

// Before anything is imported from these packages.
if (!existsSync(modules)) await promisify(execFile)("npm", ["ci"], { cwd: here });
linkPackage(modules);
