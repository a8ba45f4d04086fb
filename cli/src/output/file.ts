import { constants, createWriteStream, existsSync } from "node:fs";
import { copyFile, link, rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { ExitError, UsageError } from "../errors.js";
import { OutputClosed, write } from "../io.js";
import type { Target } from "./target.js";

export interface Sink {
  write(text: string): Promise<void>;
}

/** A pipe or a device, which is written as it is. */
export async function writeStream<T>({ name, isCompressed }: Target, use: (sink: Sink) => Promise<T>): Promise<T> {
  const { input, done } = compress(createWriteStream(name), isCompressed);
  const written = (text: string) => write(input, text).catch((error) => Promise.reject(writeError(name, error)));
  try {
    return await use({ write: written });
  } finally {
    input.end();
    await done.catch(() => {});
  }
}

/**
 * A file that is written beside its name, as `FILE.PID.partial`, and takes its name when it is complete: a reader sees the earlier file
 * or the new one. Errors name the file that the user gave.
 */
export class ExportFile implements Sink {
  readonly #target: Target;
  readonly #force: boolean;
  /** Where it is written until it is complete. */
  readonly partial: string;
  #stream: ReturnType<typeof compress> | undefined;
  /** Whether a write has failed: what the file has then is not known. */
  hasFailed = false;

  /** @throws {@link UsageError} if the file exists and must not be replaced. */
  constructor(target: Target, force: boolean) {
    if (!force && existsSync(target.path)) throw exists(target.name);
    this.#target = target;
    this.#force = force;
    this.partial = `${target.path}.${process.pid}.partial`;
  }

  async write(text: string): Promise<void> {
    await this.#try(async () => {
      this.#stream ??= this.#open();
      await write(this.#stream.input, text);
    });
  }

  async finish(): Promise<void> {
    await this.close();
    await this.#try(async () => {
      if (this.#force) await replace(this.partial, this.#target.path);
      // A second program that writes the same new file does not replace what the first one has completed.
      else if (!(await takeName(this.partial, this.#target.path))) throw exists(this.#target.name);
      await rm(this.partial, { force: true });
    });
  }

  /** Completes what was written, and leaves it beside the name. */
  async close(): Promise<void> {
    await this.#try(async () => {
      this.#stream ??= this.#open();
      this.#stream.input.end();
      await this.#stream.done;
    });
  }

  async discard(): Promise<void> {
    this.#stream?.input.end();
    await this.#stream?.done.catch(() => {});
    await rm(this.partial, { force: true }).catch(() => {});
  }

  #open() {
    return compress(createWriteStream(this.partial, { flush: true }), this.#target.isCompressed);
  }

  async #try(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.hasFailed = true;
      throw writeError(this.#target.name, error);
    }
  }
}

const exists = (name: string) => new UsageError(`${name} exists. Use --force to replace it, or another --output.`);

/** The stream to write text to, and when everything is written. */
function compress(stream: Writable, isCompressed: boolean): { input: Writable; done: Promise<void> } {
  const done = finished(stream);
  // It is also reported to the write, or when the file is closed.
  done.catch(() => {});
  if (!isCompressed) return { input: stream, done };
  const compressor = createGzip();
  compressor.pipe(stream);
  stream.once("error", (error) => compressor.destroy(error));
  return { input: compressor, done };
}

/** Gives a file a second name. Returns whether the name was free. */
export async function takeName(from: string, to: string): Promise<boolean> {
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

/** Milliseconds before further attempts. A virus scanner or an indexer holds a new file for less than a second. */
const delays = [10, 30, 100, 300, 1000, 2000];

/** Renames a file over another one. On Windows, it waits for programs that have one of them open. */
async function replace(from: string, to: string): Promise<void> {
  for (const delay of process.platform === "win32" ? delays : []) {
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

/** The error of a write, with the name that the user gave instead of that of a temporary file. */
export function writeError(name: string, error: unknown): unknown {
  if (error instanceof ExitError || error instanceof OutputClosed) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? message.replace(/, \w+ '.*$/, ".");
  return new ExitError(`Cannot write ${name}: ${reason}`, undefined, { cause: error });
}
