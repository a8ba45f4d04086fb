import { constants } from "node:fs";
import { copyFile, link, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
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
    while (!(await takeName(own, path))) {
      const text = await unlessMissing(readFile(path, "utf8"));
      const found = text === undefined ? undefined : readOwner(text);
      if (text === undefined) continue;
      if (found === undefined || held.has(path) || isRunning(found)) throw new UsageError(describe(name, path, found));
      await removeStale(path, own, text);
    }
    held.add(path);
    return async () => {
      held.delete(path);
      await rm(path, { force: true });
    };
  } catch (error) {
    throw writeError(name, error);
  } finally {
    await rm(own, { force: true });
  }
}

/** A destination can be there or not, and its name can be a link. */
const resolveName = (name: string): Promise<string> =>
  realpath(name).catch(async () => join(await realpath(dirname(name)), basename(name)));

/** Gives a file a second name. Returns whether the name was free. */
async function takeName(from: string, to: string): Promise<boolean> {
  const isTaken = (error: NodeJS.ErrnoException) => error.code === "EEXIST";
  try {
    // The copy is for a file system without links, such as FAT.
    await link(from, to).catch((error) =>
      isTaken(error) ? Promise.reject(error) : copyFile(from, to, constants.COPYFILE_EXCL),
    );
    return true;
  } catch (error) {
    if (isTaken(error as NodeJS.ErrnoException)) return false;
    throw error;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

const unlessMissing = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });

/** `undefined` if the lock has other content. */
function readOwner(text: string): Owner | undefined {
  try {
    const { host, pid, started } = JSON.parse(text) as Partial<Owner>;
    const isOwner = typeof host === "string" && Number.isSafeInteger(pid) && typeof started === "string";
    return isOwner ? { host, pid: Number(pid), started } : undefined;
  } catch {
    return undefined;
  }
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
    return codeOf(error) === "EPERM";
  }
}

/** Milliseconds after which the guard of a takeover, which takes a few, is that of a process that was ended meanwhile. */
const guardLifetime = 10_000;

/** Removes the lock of a process that is gone. One process does so at a time: a second one would remove the lock of the first. */
async function removeStale(path: string, own: string, stale: string): Promise<void> {
  const guard = `${path}.takeover`;
  if (!(await takeName(own, guard))) {
    const modified = await unlessMissing(stat(guard));
    if (modified && Date.now() - modified.ctimeMs > guardLifetime) await rm(guard, { force: true });
    else await sleep(20);
    return;
  }
  try {
    if ((await unlessMissing(readFile(path, "utf8"))) === stale) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

function describe(name: string, path: string, owner: Owner | undefined): string {
  const advice = `Wait for it to end; if it is gone, remove ${path}.`;
  if (owner === undefined) return `Another process writes ${name}: ${path} exists. ${advice}`;
  return `Process ${owner.pid} on ${owner.host}, started at ${owner.started}, writes ${name}. ${advice}`;
}
