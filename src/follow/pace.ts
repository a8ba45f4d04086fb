import type { Block } from "../http/block.js";

/** The longest wait between two polls, in milliseconds, if the caller does not name an interval. */
const longest = 15_000;
/** Until two blocks are known, a block is taken to last this many milliseconds. */
const firstGuess = 1000;
/** By how much the wait grows from one poll without records to the next. */
const growth = 1.5;

/** Decides how long to wait between two polls: a block while records come, and longer and longer while none do. */
export class Pace {
  readonly #fixed: number | undefined;
  #newest: Block | undefined;
  #blockTime: number | undefined;
  #idlePolls = 0;

  /** @param pollInterval - A fixed interval, in milliseconds. Default: it follows the blocks. */
  constructor(pollInterval?: number) {
    this.#fixed = pollInterval;
  }

  /** Learns from a poll. */
  observe(block: Block, hasRecords: boolean): void {
    this.#idlePolls = hasRecords ? 0 : this.#idlePolls + 1;
    const newest = this.#newest;
    if (newest !== undefined && block.height <= newest.height) return;
    this.#newest = block;
    if (newest === undefined) return;
    const milliseconds = Number(block.timestamp - newest.timestamp) / 1e6;
    const sample = Math.min(longest, Math.max(0, milliseconds / Number(block.height - newest.height)));
    this.#blockTime = this.#blockTime === undefined ? sample : 0.8 * this.#blockTime + 0.2 * sample;
  }

  /** Milliseconds from the start of a poll to the start of the next one. */
  get interval(): number {
    const { blockTime } = this;
    return this.#fixed ?? Math.min(longest, blockTime * growth ** this.#idlePolls);
  }

  /** The time of a block in milliseconds. Not 0, as on a chain whose clock stands still: polls would follow without a pause. */
  get blockTime(): number {
    return Math.max(100, this.#blockTime ?? firstGuess);
  }
}
