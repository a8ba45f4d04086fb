import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmCi } from "../../../../scripts/npm-ci.js";

const runtimes = fileURLToPath(new URL("../../../../test/slow/runtimes", import.meta.url));

/** A Node.js with `node:sqlite`: the tests themselves can run on one where `libsql` keeps databases. */
export const node = join(runtimes, "node_modules/node24/bin/node");

/** Installs it if it is missing. */
export const installNode = (): void => npmCi(runtimes, { omit: "dev" });
