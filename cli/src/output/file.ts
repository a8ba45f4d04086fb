/** The file of `--output`: its name, its format, and how it is written. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { ExitError, UsageError } from "../errors.js";
import { type FormatName, formats } from "../flags.js";
import { type Io, OutputClosed, OutputError, write } from "../io.js";

export interface Target {
  /** The name that the user gave, which errors show. */
  readonly name: string;
  /** The path with symbolic links resolved. */
  readonly path: string;
  /** A pipe or a device cannot be replaced: it is written as it is. */
  readonly isStream: boolean;
  readonly format: FormatName;
  readonly isCompressed: boolean;
}

const extensions = new Map<string, FormatName>(
  Object.entries({ csv: "csv", ndjson: "ndjson", jsonl: "ndjson", json: "json", html: "html", svg: "svg" }),
);

/** Returns the target of `--output` and its format; `undefined` for `-`, which is stdout. */
export function readTarget(name: string | undefined, format: FormatName | undefined): Target | undefined {
  if (name === undefined || name === "-") return undefined;
  const found = ifThere(() => fs.statSync(name));
  if (found?.isDirectory() || /[/\\]$/.test(name) || /\.parquet$/i.test(name)) {
    throw new UsageError(
      `Expected --output to be a file of CSV, NDJSON, JSON or HTML, got "${name}". For a folder of Parquet files: vegaprotocol sync FOLDER/`,
    );
  }
  const isStream = found !== undefined && !found.isFile();
  const { extension, isCompressed, named } = extensionsOf(name);
  // The extension of a device such as /dev/stdout.1 is not a format.
  const isUnnamed = (extension === "" && !isCompressed) || (isStream && named === undefined);
  if (format === undefined && named === undefined && !isUnnamed) {
    const known = [...extensions.keys()].filter((each) => each !== "svg").map((each) => `.${each}`);
    throw new UsageError(
      `Expected --output to end with ${known.join(", ")}, or one of them and .gz, got "${name}". ` +
        `Use one of them, or --format ${formats.join("|")}.`,
    );
  }
  if (format !== undefined && named !== undefined && format !== named) {
    throw new UsageError(`Expected --output to end with an extension of --format ${format}, got "${name}".`);
  }
  const path = isStream ? name : followLink(name);
  return { name, path, isStream, format: format ?? named ?? "ndjson", isCompressed };
}

/** Resolves symbolic links. The target of one can be a file that does not exist yet. */
export const followLink = (name: string): string =>
  ifThere(() => fs.lstatSync(name))?.isSymbolicLink()
    ? (ifThere(() => fs.realpathSync(name)) ?? resolve(dirname(name), fs.readlinkSync(name)))
    : name;

/** Identifies a file: the same for each of its names, such as links, and in any case on Windows and macOS. */
export function fileId(name: string): string {
  const found = fs.statSync(name, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.dev} ${found.ino}` : resolve(followLink(name));
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

export function extensionsOf(name: string) {
  const [, first = "", last = ""] = /(?<=[^/\\])(?:\.([^./\\]*))??\.([^./\\]*)$/.exec(name.toLowerCase()) ?? [];
  const isCompressed = last === "gz";
  const extension = isCompressed ? first : last;
  return { extension, isCompressed, named: extensions.get(extension) };
}

/**
 * Opens stdout, or a file that is written as `FILE.ID.tmp`, and renamed when it is complete: a reader sees the earlier
 * file or the new one. Files of killed processes are removed a day later, and earlier partial files once this one is
 * complete. A pipe or a device is written directly.
 *
 * @param isPart - Whether earlier partial files can have records that this one does not have: they stay.
 */
export function openOutput({ stdout, signal }: Io, target: Target | undefined, force = false, isPart = false) {
  if (target === undefined) {
    return {
      write: (text: string) => write(stdout, text, signal),
      finish: async () => {},
      stop: async () => undefined,
    };
  }
  const { name, isStream } = target;
  // Processes in containers that share a folder have the same ids.
  const id = randomBytes(4).toString("hex");
  const path = isStream ? target.path : `${target.path}.${id}.tmp`;
  refuseOther(target, force);
  if (!isStream) removeLeft(target.path, "tmp", abandonedAfter);
  const file = fs.createWriteStream(path, isStream ? {} : { flush: true, fd: create(path, target) });
  const gzip = target.isCompressed ? createGzip() : undefined;
  const input: Writable = gzip ?? file;
  const done = gzip ? pipeline(gzip, file) : finished(file);
  // The earlier error of the stream has the reason.
  const explain = (task: Promise<void>) =>
    task.catch((error) => Promise.reject(writeError(name, input.errored ?? error)));
  done.catch(() => {});
  return {
    // If the file cannot be written, the compressor is destroyed and never calls back.
    write: (text: string) => explain(Promise.race([write(input, text), done])),
    async finish(): Promise<void> {
      input.end();
      await explain(done);
      if (isStream) return;
      // Another program may have written it in the meantime.
      refuseOther(target, force);
      await explain(replace(path, target.path));
      if (!isPart) removeLeft(target.path, "partial");
    },
    /** Ends it early. Returns the name of the file if it has whole blocks and stays, as `FILE.ID.partial`. */
    async stop(isWanted: boolean): Promise<string | undefined> {
      input.end();
      const isWhole = await done.then(() => true).catch(() => false);
      const stays = isWanted && isWhole;
      if (isStream) return stays ? path : undefined;
      if (!stays) return void (await rm(path, { force: true }).catch(() => {}));
      const partial = `${target.path}.${id}.partial`;
      await explain(replace(path, partial));
      return partial;
    },
  };
}

/** Creates a file at once: a stream would show an error only once the records are read. */
function create(path: string, target: Target): number {
  try {
    const file = fs.openSync(path, "w");
    keepPermissions(file, target.path);
    return file;
  } catch (error) {
    throw writeError(target.name, error);
  }
}

/** Gives a new file the permissions and the owner of the file that it replaces. */
function keepPermissions(file: number, replaced: string): void {
  const earlier = ifThere(() => fs.statSync(replaced));
  try {
    if (earlier) fs.fchmodSync(file, earlier.mode);
    if (earlier) fs.fchownSync(file, earlier.uid, earlier.gid);
  } catch {
    // Some network file systems have no permissions, and only root can give files away.
  }
}

export function refuseOther({ name, path, isStream }: Target, force: boolean): void {
  if (force || isStream || !fs.existsSync(path)) return;
  throw new UsageError(`${name} exists. Use --force to replace it, or another --output.`);
}

/** After this many milliseconds without a change, a temporary file belongs to a process that was killed. */
const abandonedAfter = 86_400_000;

function removeLeft(path: string, extension: "tmp" | "partial", age = 0): void {
  const prefix = `${basename(path)}.`;
  const folder = dirname(path);
  const ending = new RegExp(`^[\\da-f]{8}\\.${extension}$`);
  try {
    for (const name of fs.readdirSync(folder)) {
      if (!name.startsWith(prefix) || !ending.test(name.slice(prefix.length))) continue;
      const file = join(folder, name);
      if (Date.now() - fs.statSync(file).mtimeMs >= age) fs.rmSync(file);
    }
  } catch {
    // The error of the write explains the folder's problem.
  }
}

/** Milliseconds before further attempts. A virus scanner or an indexer holds a new file for less than a second. */
const delays = process.platform === "win32" ? [10, 30, 100, 300, 1000, 2000] : [];

/** Renames a file over another one. On Windows, it waits for programs that have one of them open. */
export async function replace(from: string, to: string): Promise<void> {
  for (const delay of delays) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!["EPERM", "EACCES", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      await sleep(delay);
    }
  }
  await rename(from, to);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist.",
  ENOTDIR: "a part of its path is a file, not a folder.",
  EACCES: "permission denied.",
  EPERM: "permission denied, or another program has it open.",
  EBUSY: "another program has it open. Close it there, and repeat the command.",
  EPIPE: "the program that reads it has ended.",
  EROFS: "the file system is read-only.",
  ENOSPC: "the disk is full.",
  EFBIG: "the file system, or `ulimit -f`, allows no file of this size.",
  EDQUOT: "the disk quota is exceeded.",
};

/** The error of a write, with the user's file name instead of the temporary one. */
export function writeError(name: string, error: unknown): unknown {
  if (error instanceof ExitError || error instanceof OutputClosed) return error;
  const { code = "", message } = (error instanceof OutputError ? error.cause : error) as NodeJS.ErrnoException;
  const reason = reasons[code] ?? message.replace(/, \w+ '.*$/, ".");
  return new ExitError(`Cannot write ${name}: ${reason}`, error);
}
