import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Creates an empty folder. The folder for temporary files is a link on macOS. */
export const createFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), "vegaprotocol-")));

/** Creates a folder for all tests of a file, which is removed at their end. Returns a function for the path of a name in it. */
export async function folderOfFile(): Promise<(name?: string) => string> {
  const folder = await createFolder();
  afterAll(() => rm(folder, { recursive: true, maxRetries: 3 }));
  return (name = ".") => join(folder, name);
}
