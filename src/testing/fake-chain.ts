import type { Chain } from "./chain.js";
import type { FakeBlock, FakeBlockData } from "./data.js";
import type { Records } from "./store.js";

/** A chain that a test moves. */
export interface FakeChain {
  /** What it holds. */
  readonly records: Records;
  /** The block that has begun. */
  readonly block: Readonly<FakeBlock>;
  /**
   * Ends the block that has begun, with further records in it, and begins the next one.
   *
   * Generated records have the time of the block that ends. Given ones have that time or a later one: what is older is final.
   * All of them are there when the block has ended, as on a real node, where the rows of a block appear at once. The next block
   * begins one second after the newest record, or as `data.block` says. Transactions that were checked in the block that ends
   * can be checked again.
   *
   * @throws `ArgumentError` if the data makes no sense.
   */
  nextBlock(data?: FakeBlockData): void;
}

/** The methods of a {@link FakeChain}. */
export function chainMethods(chain: Chain): Pick<FakeChain, "nextBlock"> {
  return {
    nextBlock: (data = {}) => chain.nextBlock(data),
  };
}
