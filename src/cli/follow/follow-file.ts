import { rm } from "node:fs/promises";
import { UsageError } from "../exit.js";
import { FileSink, openFile } from "../export/file-sink.js";
import { readJson, sizeOf, stateFile, writeJson } from "../export/files.js";
import type { FollowPlan, From } from "./plan.js";

/** What `FILE.state` holds: how much of the file counts, and where the follower continues. */
interface FollowState {
  readonly arguments: string;
  /** How many bytes of the file come before the position. What follows was written by a process that ended early. */
  readonly size: number;
  /** The option `from` of the follower. */
  readonly position: string;
}

/**
 * A file to which a follower appends. A batch counts once the state names it, so that a process that ends at any time loses and
 * repeats nothing.
 */
export class FollowFile {
  readonly #file: string;
  readonly #sink: FileSink;
  #state: FollowState;
  #isNew: boolean;

  private constructor(file: string, sink: FileSink, state: FollowState, isNew: boolean) {
    this.#file = file;
    this.#sink = sink;
    this.#state = state;
    this.#isNew = isNew;
  }

  /** Opens the file of a plan: cuts it after the last batch that counts, or begins it. */
  static async open(file: string, plan: FollowPlan): Promise<FollowFile> {
    const earlier = await findState(file, plan);
    const state = earlier ?? { arguments: plan.digest, size: 0, position: String(plan.from) };
    // In this order: a process that ends in between leaves no file without its state, and no state beside another file.
    if (earlier === undefined) {
      await rm(file, { force: true });
      await writeJson(stateFile(file), state);
    }
    const handle = await openFile(file, state.size);
    return new FollowFile(file, new FileSink(file, handle, state.size), state, earlier === undefined);
  }

  /** Where the follower continues. */
  get from(): From {
    const { position } = this.#state;
    return position === "now" || position === "start" ? position : BigInt(position);
  }

  /** Whether nothing was stored, not even a position. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Appends a text together with the position after it; signatures have none. */
  async append(text: string, position = this.#state.position): Promise<void> {
    const size = this.#state.size + Buffer.byteLength(text);
    if (text !== "") {
      await this.#sink.write(text);
      // A state must not name what a crash of the machine takes away.
      await this.#sink.sync();
    }
    const state = { ...this.#state, size, position };
    const isSame = size === this.#state.size && position === this.#state.position;
    if (!isSame) await writeJson(stateFile(this.#file), state);
    this.#state = state;
    this.#isNew = false;
  }

  /** Closes the file. A file for which nothing was stored is removed. */
  async close(): Promise<void> {
    await this.#sink.close();
    if (!this.#isNew) return;
    await Promise.all([this.#file, stateFile(this.#file)].map((each) => rm(each, { force: true })));
  }
}

/** The state of the file that is continued; `undefined` if a new one begins. */
async function findState(file: string, { resume, force, digest }: FollowPlan): Promise<FollowState | undefined> {
  const size = await sizeOf(file);
  if (!resume) {
    if (size === undefined || force) return undefined;
    throw new UsageError(`${file} exists. Use --resume to continue it, or --force to overwrite it.`);
  }
  const state = await readState(file);
  if (state === undefined) {
    if (!size) return undefined;
    throw new UsageError(`${stateFile(file)} is missing: ${file} cannot be continued. Use --force to overwrite it.`);
  }
  if (state.arguments !== digest) {
    throw new UsageError(`${file} was written with other arguments. Repeat the command that began it, or use --force.`);
  }
  if ((size ?? 0) < state.size) {
    throw new UsageError(
      `Expected ${file} to have at least ${state.size} bytes, got ${size ?? "no file"}: it was changed. Use --force.`,
    );
  }
  return state;
}

async function readState(file: string): Promise<FollowState | undefined> {
  const value = await readJson(stateFile(file));
  if (value === undefined) return undefined;
  const { arguments: digest, size, position } = value;
  if (
    typeof digest === "string" &&
    typeof size === "number" &&
    Number.isSafeInteger(size) &&
    typeof position === "string" &&
    /^(now|start|\d+)$/.test(position)
  ) {
    return { arguments: digest, size, position };
  }
  throw new UsageError(`Expected ${stateFile(file)} to be the state of a follower. Use --force to overwrite ${file}.`);
}
