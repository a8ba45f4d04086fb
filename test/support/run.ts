import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

/** Runs a program to its end. Rejects if its exit code is not 0. */
export const run = promisify(execFile);

/** What a program prints first, such as the address that it serves. */
export async function firstOutput({ stdout }: { stdout: Readable }): Promise<string> {
  return String(await once(stdout, "data")).trim();
}

/** Kills a program, and waits for its end. */
export async function kill(child: ChildProcess, signal?: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
