import { createWriteStream, existsSync, readdirSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { ExitError, UsageError } from "../errors.js";
import { OutputClosed, OutputError, write } from "../io.js";
import type { Target } from "./target.js";

/**
 * A file that is written as `FILE.PID.tmp`, and renamed when it is complete: a reader sees the earlier file or the new
 * one. Files of killed processes are removed. A pipe or a device is written directly.
 */
export class OutputFile {
  readonly #target: Target;
  readonly #force: boolean;
  path: string;
  readonly #input: Writable;
  readonly #done: Promise<void>;
  /** Fails the write in flight. */
  #fail: (error: unknown) => void = () => {};

  /** @throws {@link UsageError} if the file exists and must not be replaced. */
  constructor(target: Target, force: boolean) {
    this.#target = target;
    this.#force = force;
    this.path = target.isStream ? target.path : `${target.path}.${process.pid}.tmp`;
    refuseOther(target, force);
    if (!target.isStream) removeLeft(target.path);
    const file = createWriteStream(this.path, { flush: !target.isStream });
    const gzip = target.isCompressed ? createGzip() : undefined;
    this.#input = gzip ?? file;
    this.#done = gzip ? pipeline(gzip, file) : finished(file);
    // If the file cannot be written, the compressor is destroyed and never calls back.
    this.#done.catch((error) => this.#fail(error));
  }

  /** Writes text, once the write before has ended. */
  write(text: string): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      write(this.#input, text).then(resolve, reject);
    });
    return this.#explain(written);
  }

  async finish(): Promise<void> {
    this.#input.end();
    await this.#explain(this.#done);
    if (this.#target.isStream) return;
    // Another program may have written it in the meantime.
    refuseOther(this.#target, this.#force);
    await this.#explain(replace(this.path, this.#target.path));
  }

  /** Ends it early. Returns whether the file has whole blocks, and stays as `FILE.PID.partial`. */
  async stop(isWanted: boolean): Promise<boolean> {
    this.#input.end();
    const isWhole = await this.#done.then(
      () => true,
      () => false,
    );
    if (this.#target.isStream) return isWanted && isWhole;
    if (isWanted && isWhole) {
      const partial = `${this.#target.path}.${process.pid}.partial`;
      await this.#explain(replace(this.path, partial));
      this.path = partial;
      return true;
    }
    await rm(this.path, { force: true }).catch(() => {});
    return false;
  }

  #explain(task: Promise<void>): Promise<void> {
    // The earlier error of the stream has the reason.
    return task.catch((error) => Promise.reject(writeError(this.#target.name, this.#input.errored ?? error)));
  }
}

/** @throws {@link UsageError} if the file exists and must not be replaced. */
export function refuseOther({ name, path, isStream }: Target, force: boolean): void {
  if (force || isStream || !existsSync(path)) return;
  throw new UsageError(`${name} exists. Use --force to replace it, or another --output.`);
}

function removeLeft(path: string): void {
  const prefix = `${basename(path)}.`;
  const folder = dirname(path);
  try {
    for (const name of readdirSync(folder)) {
      const [, pid] = (name.startsWith(prefix) && /^(\d+)\.tmp$/.exec(name.slice(prefix.length))) || [];
      if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name));
    }
  } catch {
    // The error of the write explains the folder's problem.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Milliseconds before further attempts. A virus scanner or an indexer holds a new file for less than a second. */
const delays = process.platform === "win32" ? [10, 30, 100, 300, 1000, 2000] : [];

/** Renames a file over another one. On Windows, it waits for programs that have one of them open. */
async function replace(from: string, to: string): Promise<void> {
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
  ENOTDIR: "its folder does not exist.",
  EACCES: "permission denied.",
  EPERM: "permission denied, or another program has it open.",
  EBUSY: "another program has it open. Close it there, and repeat the command.",
  EROFS: "the file system is read-only.",
  ENOSPC: "the disk is full.",
  EDQUOT: "the disk quota is exceeded.",
};

/** The error of a write, with the user's file name instead of the temporary one. */
export function writeError(name: string, error: unknown): unknown {
  if (error instanceof ExitError || error instanceof OutputClosed) return error;
  const { code = "", message } = (error instanceof OutputError ? error.cause : error) as NodeJS.ErrnoException;
  const reason = reasons[code] ?? message.replace(/, \w+ '.*$/, ".");
  return new ExitError(`Cannot write ${name}: ${reason}`, undefined, { cause: error });
}
