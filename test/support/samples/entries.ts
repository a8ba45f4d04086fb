import { posix } from "node:path";
import manifest from "../../../package.json" with { type: "json" };

/** The modules of the package, by the names with which programs import them. */
export const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
  typeof target === "string" ? [] : [posix.join(manifest.name, entry)],
);
