import { rename } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** What tests replace. */
export interface ReplaceSystem {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): Promise<void>;
  wait(milliseconds: number): Promise<unknown>;
}

/** What Windows reports while a program has a file open without sharing it, or while the file is being removed. */
export const inUse: readonly (string | undefined)[] = ["EPERM", "EACCES", "EBUSY"];

/** Milliseconds before further attempts. A virus scanner or an indexer holds a new file for less than a second. */
const delays = [10, 30, 100, 300, 1000, 2000];

/**
 * Renames a file over another one, which keeps its content until then. On Windows, it waits for programs that read one of them.
 *
 * @throws An `Error` that names the file if a program holds it for longer, such as a spreadsheet.
 */
export async function replaceFile(
  from: string,
  to: string,
  { platform, ...system }: ReplaceSystem = { platform: process.platform, rename, wait },
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await system.rename(from, to);
    } catch (error) {
      if (platform !== "win32" || !inUse.includes((error as NodeJS.ErrnoException).code)) throw error;
      const delay = delays[attempt];
      if (delay === undefined) {
        throw new Error(`Cannot replace ${to}: another program has it open. Close it there, and repeat the command.`, {
          cause: error,
        });
      }
      await system.wait(delay);
    }
  }
}
