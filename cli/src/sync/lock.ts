import { link, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../errors.js";
import { writeError } from "../output/file.js";

/** The process that has a lock. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When the process began, as RFC 3339. */
  readonly started: string;
}

/** The locks that this process has. */
const held = new Set<string>();

/**
 * Locks a destination for this process: two names of one file share a lock. The lock of a process that is gone is taken over.
 *
 * @returns what releases the lock.
 * @throws {@link UsageError} if another process has it.
 */
export async function lock(name: string): Promise<() => Promise<void>> {
  const path = `${await resolveName(name)}.lock`;
  const owner: Owner = { host: hostname(), pid: process.pid, started: new Date(performance.timeOrigin).toISOString() };
  const own = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  // The lock appears with its content: a process that reads it never sees a part.
  try {
    await writeFile(own, `${JSON.stringify(owner)}\n`);
    for (;;) {
      if (await take(own, path)) {
        held.add(path);
        return () => release(path);
      }
      const found = await readOwner(path);
      if (found === "none") continue;
      if (found === undefined || held.has(path) || isRunning(found)) throw new UsageError(describe(name, path, found));
      await removeStale(path, found);
    }
  } catch (error) {
    throw writeError(name, error);
  } finally {
    await rm(own, { force: true });
  }
}

async function release(path: string): Promise<void> {
  held.delete(path);
  await rm(path, { force: true });
}

/** A destination can be there or not, and its name can be a link. */
const resolveName = (name: string): Promise<string> =>
  realpath(name).catch(async () => join(await realpath(dirname(name)), basename(name)));

async function take(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    // A file system without links, such as FAT.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS" && code !== "EISDIR") throw error;
  }
  return writeFile(path, await readFile(own), { flag: "wx" }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
}

/** `undefined` if the lock has other content. */
async function readOwner(path: string): Promise<Owner | "none" | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "none";
    throw error;
  });
  if (text === "none") return text;
  try {
    const { host, pid, started } = JSON.parse(text) as Partial<Owner>;
    if (typeof host === "string" && Number.isSafeInteger(pid) && typeof started === "string") {
      return { host, pid: Number(pid), started };
    }
  } catch {
    // Not the content of a lock.
  }
  return undefined;
}

/** Of a process of another host, or of another container, nothing is known. */
function isRunning({ host, pid }: Owner): boolean {
  if (host !== hostname()) return true;
  // In a container that was restarted, this process has the id of the one before.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Milliseconds after which the guard of a takeover, which takes a few, is that of a process that was ended meanwhile. */
const guardLifetime = 10_000;

/** Removes the lock of a process that is gone. One process does so at a time: a second one would remove the lock of the first. */
async function removeStale(path: string, stale: Owner): Promise<void> {
  const guard = `${path}.takeover`;
  const isAlone = await writeFile(guard, "", { flag: "wx" }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
  if (!isAlone) {
    const modified = await stat(guard).catch(() => undefined);
    if (modified && Date.now() - modified.mtimeMs > guardLifetime) await rm(guard, { force: true });
    else await sleep(20);
    return;
  }
  try {
    if (JSON.stringify(await readOwner(path)) === JSON.stringify(stale)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

function describe(name: string, path: string, owner: Owner | undefined): string {
  const advice = `Wait for it to end; if it is gone, remove ${path}.`;
  if (owner === undefined) return `Another process writes ${name}: ${path} exists. ${advice}`;
  return `Process ${owner.pid} on ${owner.host}, started at ${owner.started}, writes ${name}. ${advice}`;
}
