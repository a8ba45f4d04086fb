import { readFileSync } from "node:fs";

/** The version of the package. */
export function readVersion(): string {
  // From src/cli in a clone, and from dist/src/cli in the package.
  for (const path of ["../../package.json", "../../../package.json"]) {
    try {
      const { version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
      return String(version);
    } catch {
      // The other one.
    }
  }
  return "unknown";
}
