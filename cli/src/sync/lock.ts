import { readdir, realpath, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../errors.js";
import { writeError } from "../output/file.js";

/** The locks of this process. */
const held = new Set<string>();

/**
 * Locks a destination for this process with a file beside it, which has the process in its name: two names of one file share a lock. A
 * process creates its file before it looks for others, so that one of two that begin at once sees the other.
 *
 * @returns what releases the lock.
 * @throws {@link UsageError} if another process has it.
 */
export async function lock(name: string): Promise<() => Promise<void>> {
  const path = await resolveName(name).catch((error) => Promise.reject(writeError(name, error)));
  const prefix = `${path}.lock.`;
  const own = `${prefix}${process.pid}.${hostname()}`;
  const refuse = (file: string): never => {
    const [, pid, host] = /^(\d+)\.(.*)$/.exec(file.slice(prefix.length)) ?? [];
    throw new UsageError(
      `Process ${pid} on ${host} writes ${name}. Wait for it to end; if it does not run any more, remove ${file}.`,
    );
  };
  if (held.has(own)) refuse(own);
  held.add(own);
  const release = async () => {
    held.delete(own);
    await rm(own, { force: true });
  };
  try {
    await writeFile(own, "");
    for (let attempt = 1; ; attempt++) {
      const other = await findOther(prefix, own);
      if (other === undefined) return release;
      // If several processes start at the same moment, the first one by name waits until the others give up.
      if (other < own || attempt === 10) refuse(other);
      await sleep(50);
    }
  } catch (error) {
    await release();
    throw writeError(name, error);
  }
}

/** A destination can be there or not, and its name can be a link. */
const resolveName = (name: string): Promise<string> =>
  realpath(name).catch(async () => join(await realpath(dirname(name)), basename(name)));

/** Finds the lock of another process, and removes those of processes that have ended. */
async function findOther(prefix: string, own: string): Promise<string | undefined> {
  const folder = dirname(prefix);
  for (const file of (await readdir(folder)).sort().map((each) => join(folder, each))) {
    if (file === own || !file.startsWith(prefix)) continue;
    // Nothing is known about a process on another host, or in another container.
    if (!file.endsWith(`.${hostname()}`) || isRunning(Number.parseInt(file.slice(prefix.length), 10))) return file;
    await rm(file, { force: true });
  }
  return undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
