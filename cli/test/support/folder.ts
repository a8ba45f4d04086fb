import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Gives each test of a file a folder of its own. Returns a function for the path of a name in it. */
export function useFolder(): (name: string) => string {
  let folder: string;
  beforeEach(async () => {
    // The folder for temporary files is a link on macOS.
    folder = await realpath(await mkdtemp(join(tmpdir(), "vegaprotocol-")));
  });
  afterEach(() => rm(folder, { recursive: true }));
  return (name) => join(folder, name);
}
