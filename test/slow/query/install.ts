import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmCi } from "../../../scripts/npm-ci.js";
import { linkPackage } from "../../support/link-package.js";
import { installed } from "../../support/runs.js";

export const here = fileURLToPath(new URL(".", import.meta.url));
const tools = fileURLToPath(new URL("../runtimes", import.meta.url));
const [modules, link] = [join(tools, "node_modules"), join(here, "node_modules")];

// Before anything is imported from these packages.
npmCi(tools, installed);
linkPackage(modules);
if (!existsSync(link)) symlinkSync(modules, link, "junction");
