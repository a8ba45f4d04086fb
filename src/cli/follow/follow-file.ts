import { open, rm } from "node:fs/promises";
import type { Block } from "../../http/block.js";
import { UsageError } from "../exit.js";
import { describeDifferences } from "../files/content-flags.js";
import { headOf, type RecordFile } from "../files/file-records.js";
import { FileSink, openFile } from "../files/file-sink.js";
import { manifestFile, newFile, sizeOf, stateFile } from "../files/files.js";
import { checkKeptText } from "../files/kept-text.js";
import { type Lock, lock } from "../files/lock.js";
import { replaceFile } from "../files/replace-file.js";
import { type FileState, readFileState, writeState } from "../files/state.js";
import { printBlock, readBlockText } from "./chain.js";
import { type FollowPlan, type From, positionOf } from "./plan.js";

/** What `FILE.state` holds: how much of the file counts, and where the follower continues. */
interface FollowState extends FileState {
  /** The option `from` of the follower. */
  readonly position: string;
  /** The oldest block that was seen, as `HEIGHT@TIME`; absent if the node names none. */
  readonly chain?: string | undefined;
  /** Whether the content is that of `FILE.new`, which then takes the name of the file. */
  readonly isBeside?: boolean;
}

type SavedPosition = Pick<FollowState, "position" | "chain">;

/** How far a follower has come. */
export interface Position {
  /** Signatures have none. */
  readonly position: string | undefined;
  readonly chain: Block | undefined;
}

/**
 * A file to which a follower appends. A batch counts once the state names it, so that a process that ends at any time loses and
 * repeats nothing. A new file takes its name with its first batch: until then, an earlier one stays.
 */
export class FollowFile {
  readonly #file: RecordFile;
  readonly #plan: FollowPlan;
  readonly #lock: Lock;
  /** `undefined` before the first batch. */
  #state: FollowState | undefined;
  #sink: FileSink | undefined;
  /** Whether a write has failed. */
  #isBroken = false;

  private constructor(file: RecordFile, plan: FollowPlan, held: Lock, state?: FollowState, sink?: FileSink) {
    this.#file = file;
    this.#plan = plan;
    this.#lock = held;
    this.#state = state;
    this.#sink = sink;
  }

  /** Opens the file of a plan: cuts it after the last batch that counts. A new one is not there before its first batch. */
  static async open(path: string, plan: FollowPlan): Promise<FollowFile> {
    const file = { ...plan, path };
    const held = await lock(path);
    try {
      const state = await findState(path, plan);
      if (state === undefined) return new FollowFile(file, plan, held);
      const digest = await checkKeptText(file, state);
      const { ended: _, ...others } = state;
      await writeState(path, others);
      const handle = await openFile(path, state.size);
      const { size: position } = state;
      return new FollowFile(file, plan, held, others, new FileSink({ ...file, file: handle, position, digest }));
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  /** Where the follower continues. */
  get from(): From {
    return this.#state === undefined ? this.#plan.from : positionOf(this.#state.position);
  }

  /** A block of the chain that the position belongs to, if one is known. */
  get chain(): Block | undefined {
    const chain = this.#state?.chain;
    return chain === undefined ? this.#plan.chain : readBlockText(stateFile(this.#file.path), chain);
  }

  /** Whether nothing was stored, not even a position. */
  get isNew(): boolean {
    return this.#state === undefined;
  }

  /** The part of the file that counts; `undefined` if there is none. */
  get kept(): { readonly file: RecordFile; readonly size: number } | undefined {
    return this.#state && { file: this.#file, size: this.#state.size };
  }

  /** Appends a text together with the position after it. */
  async append(text: string, { position, chain }: Position): Promise<void> {
    const place = {
      position: position ?? this.#state?.position ?? String(this.#plan.from),
      chain: this.#state?.chain ?? (chain && printBlock(chain)),
    };
    try {
      if (this.#state === undefined) await this.#begin(text, place);
      else await this.#continue(this.#state, text, place);
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#state && !this.#isBroken) await writeState(this.#file.path, { ...this.#state, ended: true });
      await this.#sink?.close();
    } finally {
      await this.#lock.release();
    }
  }

  async #begin(text: string, place: SavedPosition): Promise<void> {
    const { path, format, columns } = this.#file;
    const beside = newFile(path);
    await rm(beside, { force: true });
    const handle = await open(beside, "wx");
    const sink = new FileSink({ ...this.#file, file: handle });
    this.#sink = sink;
    await sink.write(headOf(format, columns) + text);
    const state = { flags: this.#plan.flags, ...(await sink.commit()), ...place };
    // From here on, a process that ends leaves nothing to do but to rename.
    await writeState<FollowState>(path, { ...state, isBeside: true });
    await takeName(path, state);
    this.#state = state;
  }

  async #continue(state: FollowState, text: string, place: SavedPosition): Promise<void> {
    if (text === "" && place.position === state.position) return;
    if (text !== "") await this.#sink?.write(text);
    // A state must not name what a crash of the machine takes away.
    const written = text === "" ? undefined : await this.#sink?.commit();
    const next = { ...state, ...written, ...place };
    await writeState(this.#file.path, next);
    this.#state = next;
  }
}

/** Lets a new file take its name. It can be repeated. */
async function takeName(path: string, state: FollowState): Promise<void> {
  await replaceFile(newFile(path), path).catch((error: NodeJS.ErrnoException) => {
    // An earlier process has renamed it.
    if (error.code !== "ENOENT") throw error;
  });
  // The manifest of an export that was overwritten.
  await rm(manifestFile(path), { force: true });
  await writeState(path, state);
}

/** The state of the file that is continued; `undefined` if a new one begins. */
async function findState(path: string, { resume, force, flags }: FollowPlan): Promise<FollowState | undefined> {
  const state = resume ? await readState(path) : undefined;
  const size = await sizeOf(path);
  if (!resume) {
    if (size === undefined || force) return undefined;
    throw new UsageError(`${path} exists. Use --resume to continue it, or --force to begin again.`);
  }
  if (state === undefined) {
    if (!size) return undefined;
    throw new UsageError(`${stateFile(path)} is missing: ${path} cannot be continued. Use --force to overwrite it.`);
  }
  const differences = describeDifferences(state.flags, flags);
  if (differences === "") return state;
  throw new UsageError(
    `${path} was written with other arguments: ${differences}. Repeat the command that began it, or use --force to begin again.`,
  );
}

/** Reads the state, and completes what a process began that was ended while its file took its name. */
async function readState(path: string): Promise<FollowState | undefined> {
  const found = await readFileState<FollowState>(path, ({ position, chain }) =>
    [/^(now|start|\d+)$/.test(String(position)), chain === undefined || typeof chain === "string"].every(Boolean),
  );
  if (!found?.isBeside) return found;
  const { isBeside: _, ...state } = found;
  await takeName(path, state);
  return state;
}
