import { readdir, realpath, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
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
  const [folder, prefix] = [dirname(path), `${basename(path)}.lock.`];
  const own = join(folder, `${prefix}${process.pid}.${hostname()}`);
  if (held.has(own)) throw inUse(name, own, process.pid, hostname());
  held.add(own);
  const release = async () => {
    held.delete(own);
    await rm(own, { force: true });
  };
  try {
    await writeFile(own, "");
    for (const file of (await readdir(folder)).map((each) => join(folder, each))) {
      if (file === own || !file.startsWith(join(folder, prefix))) continue;
      const [, pid, host = "an unknown host"] = /^(\d+)\.(.+)$/.exec(basename(file).slice(prefix.length)) ?? [];
      // Of a process of another host, or of another container, nothing is known.
      if (host !== hostname() || isRunning(Number(pid))) throw inUse(name, file, Number(pid), host);
      await rm(file, { force: true });
    }
    return release;
  } catch (error) {
    await release();
    throw writeError(name, error);
  }
}

/** A destination can be there or not, and its name can be a link. */
const resolveName = (name: string): Promise<string> =>
  realpath(name).catch(async () => join(await realpath(dirname(name)), basename(name)));

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const inUse = (name: string, file: string, pid: number, host: string) =>
  new UsageError(
    `Process ${pid} on ${host} writes ${name}. Wait for it to end; if it does not run any more, remove ${file}.`,
  );
