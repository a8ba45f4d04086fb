import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { ExitError, UsageError } from "../errors.js";
import { OutputClosed, write } from "../io.js";
import type { Target } from "./target.js";

/** A file, a pipe or a device that is written as it is. Errors name what the user gave. */
export class OutputFile {
  readonly #name: string;
  readonly #input: Writable;
  readonly #done: Promise<void>;

  constructor(name: string, path: string, isCompressed: boolean, isFlushed = false) {
    this.#name = name;
    const file = createWriteStream(path, { flush: isFlushed });
    this.#done = finished(file);
    // It is also reported to the write, or when the file is closed.
    this.#done.catch(() => {});
    if (!isCompressed) {
      this.#input = file;
      return;
    }
    const compressor = createGzip();
    compressor.pipe(file);
    file.once("error", (error) => compressor.destroy(error));
    this.#input = compressor;
  }

  write(text: string): Promise<void> {
    return write(this.#input, text).catch((error) => Promise.reject(writeError(this.#name, error)));
  }

  close(): Promise<void> {
    this.#input.end();
    return this.#done.catch((error) => Promise.reject(writeError(this.#name, error)));
  }
}

/**
 * A file that is written beside its name, as `FILE.PID.partial`, and takes its name when it is complete: a reader sees the earlier file
 * or the new one.
 */
export class ExportFile {
  readonly #target: Target;
  readonly #force: boolean;
  /** Where it is written until it is complete. */
  readonly partial: string;
  #file: OutputFile | undefined;
  /** Whether a write has failed: what the file has then is not known. */
  #hasFailed = false;

  /** @throws {@link UsageError} if the file exists and must not be replaced. */
  constructor(target: Target, force: boolean) {
    this.#target = target;
    this.#force = force;
    this.partial = `${target.path}.${process.pid}.partial`;
    this.#refuseOther();
  }

  async write(text: string): Promise<void> {
    const { name, isCompressed } = this.#target;
    this.#file ??= new OutputFile(name, this.partial, isCompressed, true);
    await this.#file.write(text).catch((error) => this.#fail(error));
  }

  async finish(): Promise<void> {
    await this.write("");
    await this.#file?.close().catch((error) => this.#fail(error));
    // Another program can have written it meanwhile.
    this.#refuseOther();
    await replace(this.partial, this.#target.path).catch((error) => this.#fail(writeError(this.#target.name, error)));
  }

  /** Completes what was written, and leaves it beside the name. Returns whether it is whole. */
  async keep(): Promise<boolean> {
    await this.#file?.close().catch(() => {
      this.#hasFailed = true;
    });
    return !this.#hasFailed;
  }

  async discard(): Promise<void> {
    await this.#file?.close().catch(() => {});
    await rm(this.partial, { force: true }).catch(() => {});
  }

  #refuseOther(): void {
    const { name, path } = this.#target;
    if (this.#force || !existsSync(path)) return;
    throw new UsageError(`${name} exists. Use --force to replace it, or another --output.`);
  }

  #fail(error: unknown): never {
    this.#hasFailed = true;
    throw error;
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

/** The error of a write, with the name that the user gave instead of that of a temporary file. */
export function writeError(name: string, error: unknown): unknown {
  if (error instanceof ExitError || error instanceof OutputClosed) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? message.replace(/, \w+ '.*$/, ".");
  return new ExitError(`Cannot write ${name}: ${reason}`, undefined, { cause: error });
}
