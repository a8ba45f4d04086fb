import { callback, checkOptions } from "../arguments/check-options.js";
import { type After, repeat } from "./advance.js";
import type { Chain } from "./chain.js";
import type { FakeBlock, FakeBlockData, PartialBlockData } from "./data.js";
import type { Records } from "./store.js";

/** How blocks follow each other by themselves. */
export interface AdvanceOptions<Data = FakeBlockData> {
  /** Returns the records of the block that ends. Default: it has none. */
  records?: (() => Data) | undefined;
  /**
   * Calls back after some milliseconds, and returns a function that cancels it: a clock that a test controls. Default:
   * `setTimeout`.
   */
  after?: After | undefined;
}

/**
 * A chain that a test moves.
 *
 * @typeParam Data - The data of a block; with the option `fill`, its records can lack members.
 */
export interface FakeChain<Data = FakeBlockData> {
  /** What it holds. */
  readonly records: Records;
  /** The current block. */
  readonly block: Readonly<FakeBlock>;
  /**
   * Ends the current block, with further records in it, and begins the next one.
   *
   * Generated records have the time of the block that ends. Given ones have that time or a later one: what is older is final.
   * All of them are there when the block has ended, as on a real node, where the rows of a block appear at once. The next block
   * begins one second after the newest record, or as `data.block` says. Transactions that were checked in the block that ends
   * can be checked again.
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  nextBlock(data?: Data): void;
  /**
   * Adds records to the current block, without ending it: the block that the headers name is half-written. Clients
   * must not rely on its records (observed on v0.74 nodes: records at the time of the header can be missing).
   *
   * Records have the time of the current block.
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  addRecords(data: Omit<Data, "block">): void;
  /**
   * Ends a block every so many milliseconds. The time of each block is that much later than the one before.
   *
   * @returns A function that ends it.
   * @throws `ArgumentError` if the interval or an option is invalid.
   * @example
   * ```ts
   * const node = createFakeNode();
   * const cancel = node.advanceEvery(500, { records: () => ({ balances: 3 }) });
   * cancel();
   * ```
   */
  advanceEvery(milliseconds: number, options?: AdvanceOptions<Data>): () => void;
  /** Ends no further blocks, if the option `blockEvery` was given. */
  pause(): void;
}

/** The methods of a {@link FakeChain}. */
export function chainMethods(
  chain: Chain,
): Pick<FakeChain<PartialBlockData>, "nextBlock" | "addRecords" | "advanceEvery" | "pause"> {
  return {
    nextBlock: (data = {}) => chain.nextBlock(data),
    addRecords: (data) => chain.addRecords(data),
    pause: () => chain.pause(),
    advanceEvery(milliseconds, options = {}) {
      checkOptions({ records: callback, after: callback }, options, { name: "advanceEvery", prefix: "options." });
      const { records, after } = options;
      return repeat(milliseconds, () => chain.nextBlock(records?.() ?? {}, toNanoseconds(milliseconds)), after);
    },
  };
}

const toNanoseconds = (milliseconds: number) => BigInt(Math.round(milliseconds * 1e6));
