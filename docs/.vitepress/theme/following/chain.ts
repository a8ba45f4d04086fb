import { type Batch, followBalanceChanges } from "../../../../src/follow/index.js";
import { type BalanceChange, createClient } from "../../../../src/index.js";
import { createFakeNode } from "../../../../src/testing/index.js";

/** A chain in the page, and a program that follows it. */
export interface Chain {
  /** The time of the current block, in Unix nanoseconds. */
  readonly time: bigint;
  readonly height: number;
  /** How many records the chain has in a range of time, without its end. */
  count(start: bigint, end: bigint): number;
  /** Follows the chain from a position on. */
  follow(from: bigint, signal: AbortSignal): AsyncIterable<Batch<BalanceChange>>;
  /** Ends no further block. */
  pause(): void;
}

/** Starts a chain whose blocks end every second. */
export function startChain(onBlock: () => void): Chain {
  const node = createFakeNode({ balances: 50 });
  let blocks = 0;
  const timer = setInterval(() => {
    node.nextBlock({ balances: 2 + (blocks++ % 5) });
    onBlock();
  }, 1000);
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
  return {
    get time() {
      return node.block.timestamp;
    },
    get height() {
      return Number(node.block.height);
    },
    count(start, end) {
      const times = node.records.balances.map(({ timestamp }) => BigInt(timestamp));
      return times.filter((time) => time >= start && time < end).length;
    },
    follow(from, signal) {
      // Browsers stop the timers of tabs in the background.
      const options = { from, signal, stalledAfter: Number.POSITIVE_INFINITY };
      return followBalanceChanges(client, {}, options).batches();
    },
    pause() {
      clearInterval(timer);
    },
  };
}
