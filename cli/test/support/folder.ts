import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** Gives each test of a file a folder of its own, or all of them one. Returns a function for the path of a name in it. */
export function useFolder(scope: "test" | "file" = "test"): (name: string) => string {
  const [before, after] = scope === "test" ? [beforeEach, afterEach] : [beforeAll, afterAll];
  let folder: string;
  before(async () => {
    // The folder for temporary files is a link on macOS.
    folder = await realpath(await mkdtemp(join(tmpdir(), "vegaprotocol-")));
  });
  after(() => rm(folder, { recursive: true }));
  return (name) => join(folder, name);
}
