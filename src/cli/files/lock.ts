import { link, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../exit.js";
import { identityOf, isRunning } from "./process-identity.js";
import { inUse, replaceFile } from "./replace-file.js";

/** What a lock file holds. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When the process began, as RFC 3339. */
  readonly started: string;
  /** What distinguishes the process from a later one with the same id; `null` if the system does not show it. */
  readonly identity: string | null;
}

/** A file that one process writes at a time. */
export interface Lock {
  release(): Promise<void>;
}

export const lockFile = (file: string): string => `${file}.lock`;

/**
 * Locks a file for this process. The lock of a process that is gone is taken over.
 *
 * @throws {@link UsageError} if another process has it.
 */
export async function lock(file: string): Promise<Lock> {
  const held = await acquire(lockFile(file), file);
  await removeLeftovers(lockFile(file));
  return held;
}

/** Removes what processes of this host left that were killed while they tried to lock the file. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const [, host, pid] = /\.lock(?:\.takeover)*\.(.+)\.(\d+)\.[a-z\d]+$/.exec(name) ?? [];
    if (!name.startsWith(`${basename(path)}.`) || host !== hostname() || isRunning(Number(pid))) continue;
    await rm(join(folder, name), { force: true });
  }
}

/** How often a lock is tried that was released, or taken over, in between. */
const attempts = 5;

async function acquire(path: string, file: string): Promise<Lock> {
  const own = describeOwner();
  // The lock appears with its content: a process that reads it never sees a part.
  const temporary = `${path}.${hostname()}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(temporary, own, { flag: "wx" });
  try {
    for (let attempt = 1; ; attempt++) {
      if (await tryLink(temporary, path)) return { release: () => rm(path, { force: true }) };
      const text = await readText(path);
      if (text === undefined && attempt < attempts) continue;
      const owner = readOwner(text ?? "");
      if (attempt === attempts || !(await isGone(owner))) throw new UsageError(describeLock(file, path, owner));
      if (await takeOver(path, text, temporary)) return { release: () => rm(path, { force: true }) };
    }
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Replaces the lock of a process that is gone. One process does so at a time: a second one would replace the new lock. */
async function takeOver(path: string, text: string | undefined, temporary: string): Promise<boolean> {
  const guard = await acquire(`${path}.takeover`, path);
  try {
    if ((await readText(path)) !== text) return false;
    await replaceFile(temporary, path);
    return true;
  } finally {
    await guard.release();
  }
}

/** What a file system without links reports, such as FAT. EISDIR is what Node.js on Windows makes of it. */
const withoutLinks: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "ENOSYS", "EISDIR"];

/**
 * Returns whether the lock was free, and is now that of the temporary file.
 *
 * @param system - What tests replace.
 */
export async function tryLink(
  temporary: string,
  path: string,
  system: { link: (from: string, to: string) => Promise<void>; write: (content: Buffer) => Promise<void> } = {
    link,
    write: (content) => writeFile(path, content, { flag: "wx" }),
  },
): Promise<boolean> {
  try {
    await system.link(temporary, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!withoutLinks.includes(code)) throw error;
  }
  try {
    await system.write(await readFile(temporary));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The folder accepts files, since it has the temporary one: the lock is being removed.
    if (code === "EEXIST" || inUse.includes(code)) return false;
    throw error;
  }
}

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

function describeOwner(): string {
  const started = new Date(performance.timeOrigin).toISOString();
  const owner: Owner = { host: hostname(), pid: process.pid, started, identity: identityOf(process.pid) ?? null };
  return `${JSON.stringify(owner)}\n`;
}

function readOwner(text: string): Owner | undefined {
  try {
    const { host, pid, started, identity } = JSON.parse(text) as Partial<Owner>;
    if (typeof host === "string" && Number.isSafeInteger(pid) && typeof started === "string") {
      return { host, pid: Number(pid), started, identity: typeof identity === "string" ? identity : null };
    }
  } catch {
    // Not the content of a lock.
  }
  return undefined;
}

/** Of a process of another host, or of another container, nothing is known. */
async function isGone(owner: Owner | undefined): Promise<boolean> {
  return owner !== undefined && owner.host === hostname() && !isRunning(owner.pid, owner.identity ?? undefined);
}

function describeLock(file: string, path: string, owner: Owner | undefined): string {
  const advice = `Wait for it to end; if it is gone, remove ${path}.`;
  if (owner === undefined) return `Another process writes ${file}: ${path} exists. ${advice}`;
  const { host, pid, started } = owner;
  return `Process ${pid} on ${host}, started at ${started}, writes ${file}. ${advice}`;
}
