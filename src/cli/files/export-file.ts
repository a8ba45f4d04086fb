import { open, rm } from "node:fs/promises";
import type { Block } from "../../http/block.js";
import { isDigits } from "../../values/digits.js";
import { withDigits } from "../../values/json.js";
import { UsageError } from "../exit.js";
import type { RangeEnd } from "../records.js";
import type { ContentFlags } from "./content-flags.js";
import type { RecordFile } from "./file-records.js";
import { FileSink, openFile } from "./file-sink.js";
import { manifestFile, partialFile, sizeOf, stateFile, writeJson } from "./files.js";
import { checkKeptText } from "./kept-text.js";
import { LineDigest } from "./line-digest.js";
import { type Lock, lock } from "./lock.js";
import type { Manifest } from "./manifest.js";
import { replaceFile } from "./replace-file.js";
import { type FileState, isCount, readFileState, writeState } from "./state.js";
import { isReplaceable } from "./target.js";

/** How far an export has come. */
export interface ExportProgress {
  readonly records: number;
  /** The time of the first record in Unix nanoseconds; `null` if there is none. */
  readonly first: string | null;
  /** The time of the first record that is not in the file; `null` if none was read. */
  readonly next: string | null;
}

/** What `FILE.partial.state` holds while `FILE.partial` is written. */
export interface ExportState extends FileState, ExportProgress {
  /** The end of the range in Unix nanoseconds, which is resolved once; `null` if the export cannot be continued. */
  readonly end: string | null;
  /** The block that has shown that a node had reached the end; `undefined` if none has yet. */
  readonly block?: Block | undefined;
  /** That of the complete file, which then takes its name. */
  readonly manifest?: Manifest;
}

/**
 * A file that is written beside its name, as `FILE.partial`, and takes its name when it is complete. Until then, an earlier
 * file and its manifest stay. One process writes it at a time.
 */
export class ExportFile {
  readonly #file: RecordFile;
  readonly #lock: Lock;
  /** What an earlier process left; replaced by {@link ExportFile.begin}. */
  #state: ExportState | undefined;
  #sink: FileSink | undefined;

  private constructor(file: RecordFile, held: Lock, state: ExportState | undefined) {
    this.#file = file;
    this.#lock = held;
    this.#state = state;
  }

  /** Locks a file, and completes what a process began that was ended while its complete file took its name. */
  static async open(file: RecordFile): Promise<ExportFile> {
    const held = await lock(file.path);
    try {
      const state = await readState(partialFile(file.path));
      if (state?.manifest === undefined) return new ExportFile(file, held, state);
      await replace(file.path, state.manifest);
      return new ExportFile(file, held, undefined);
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  /** Of an earlier process whose export is not complete. */
  get state(): ExportState | undefined {
    return this.#state;
  }

  /** What is written until the file is complete. */
  get partial(): RecordFile {
    return { ...this.#file, path: partialFile(this.#file.path) };
  }

  /** Begins a new file. What an earlier process has not completed is removed. */
  async begin(flags: ContentFlags, end: RangeEnd | undefined): Promise<void> {
    const { path } = this.partial;
    if (this.#state === undefined && (await sizeOf(path)) !== undefined) {
      throw new UsageError(`${path} exists, and no export has written it. Remove it, or use another --output.`);
    }
    const text = new LineDigest().digest();
    // In this order: a process that ends in between leaves no file without its state.
    const range = { end: end === undefined ? null : String(end.end), block: end?.block };
    await this.#write({ flags, ...range, size: 0, text, records: 0, first: null, next: null });
    await rm(path, { force: true });
    this.#sink = this.#createSink(await open(path, "wx"));
  }

  /** Continues the file of an earlier process behind the part that counts, which is checked. */
  async continue(state: ExportState): Promise<void> {
    const { path } = this.partial;
    const digest = state.size > 0 ? await checkKeptText(this.partial, state) : new LineDigest();
    const { ended: _, ...others } = state;
    await this.#write(others);
    this.#sink = this.#createSink(await openFile(path, state.size), state.size, digest);
  }

  /** @param text - Complete lines. */
  async write(text: string | Uint8Array): Promise<void> {
    await this.#sink?.write(text);
  }

  /** Makes everything that was written count. */
  async save(progress: ExportProgress, ended = false): Promise<void> {
    if (this.#state === undefined || this.#sink === undefined) return;
    const { ended: _, ...state } = this.#state;
    await this.#write({ ...state, ...progress, ...(await this.#sink.commit()), ...(ended && { ended }) });
  }

  /** Gives the file its name. */
  async finish(manifest: Manifest): Promise<void> {
    if (this.#state === undefined || this.#sink === undefined) return;
    const written = await this.#sink.commit();
    await this.#closeSink();
    // From here on, a process that ends leaves nothing to do but to rename.
    await this.#write({ ...this.#state, ...written, manifest });
    await replace(this.#file.path, manifest);
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#closeSink();
    const { path } = this.partial;
    await rm(path, { force: true });
    await rm(stateFile(path), { force: true });
  }

  async close(): Promise<void> {
    try {
      await this.#closeSink();
    } finally {
      await this.#lock.release();
    }
  }

  #createSink(file: FileSinkFile, position = 0, digest = new LineDigest()): FileSink {
    const { path, compression } = this.partial;
    return new FileSink({ path, file, compression, position, digest });
  }

  async #closeSink(): Promise<void> {
    const sink = this.#sink;
    this.#sink = undefined;
    await sink?.close();
  }

  async #write(state: ExportState): Promise<void> {
    await writeState(this.partial.path, state);
    this.#state = state;
  }
}

type FileSinkFile = Awaited<ReturnType<typeof openFile>>;

/** Lets the complete file take its name. It can be repeated. */
async function replace(path: string, manifest: Manifest): Promise<void> {
  const partial = partialFile(path);
  if (!isReplaceable(path)) {
    throw new UsageError(`Expected ${path} to be a regular file. ${partial} is complete: remove ${path}, and repeat.`);
  }
  await replaceFile(partial, path).catch((error: NodeJS.ErrnoException) => {
    // An earlier process has renamed it.
    if (error.code !== "ENOENT") throw error;
  });
  await writeJson(manifestFile(path), manifest);
  // That of a follower whose file was overwritten.
  await rm(stateFile(path), { force: true });
  await rm(stateFile(partial), { force: true });
}

async function readState(path: string): Promise<ExportState | undefined> {
  const state = await readFileState<ExportState & { block?: Record<keyof Block, string> }>(
    path,
    ({ end, block, records, first, next }) =>
      (end === null || isDigits(end)) &&
      (block === undefined || isBlock(block)) &&
      isCount(records) &&
      [first, next].every((each) => each === null || isDigits(each)),
  );
  if (state?.block === undefined) return state;
  const { height, timestamp } = state.block;
  return { ...state, block: withDigits({ height: BigInt(height), timestamp: BigInt(timestamp) }) };
}

function isBlock(value: unknown): boolean {
  const { height, timestamp } = (value ?? {}) as Record<keyof Block, unknown>;
  return isDigits(height) && isDigits(timestamp);
}
