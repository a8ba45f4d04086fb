import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export function readPage(): string {
  // The path from src in a clone, and from dist in the package.
  const manifest = createRequire(import.meta.url).resolve("vegaprotocol-cli/package.json");
  return readFileSync(join(dirname(manifest), "dist/explore.html"), "utf8");
}
