import type { Addition, Chain } from "./chain.js";
import { type AddedRecords, Store } from "./store.js";
import { type Microseconds, toMicroseconds } from "./time.js";

/** The records of a chain as a node that is behind sees them: those below the time of its current block. */
export class ChainView {
  readonly #chain: Chain;
  #store = new Store();
  /** The store has all records below this time. */
  #end: Microseconds = Number.NEGATIVE_INFINITY;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** @param lag - How many blocks the node is behind. */
  store(lag: number): Store {
    if (lag <= 0) return this.#chain.store;
    const end = toMicroseconds(this.#chain.blockBefore(lag).timestamp);
    if (end < this.#end) {
      this.#store = new Store();
      this.#end = Number.NEGATIVE_INFINITY;
    }
    if (end > this.#end) this.#advance(end);
    return this.#store;
  }

  #advance(end: Microseconds): void {
    const { additions } = this.#chain;
    for (const [index, addition] of additions.entries()) {
      const next = additions[index + 1];
      const isComplete = next !== undefined && next.since < this.#end;
      if (!isComplete) this.#store.add(between(addition, this.#end, end));
    }
    this.#end = end;
  }
}

/** The records from a time on and before another one. Records without a time have that of the block in which they were added. */
function between({ records, since }: Addition, from: Microseconds, to: Microseconds): AddedRecords {
  const isBetween = (time: Microseconds) => time >= from && time < to;
  const dated = {
    votes: records.votes.filter(({ blockTime }) => isBetween(toMicroseconds(blockTime))),
    balances: records.balances.filter(({ timestamp }) => isBetween(toMicroseconds(timestamp))),
  };
  if (isBetween(since)) return { ...records, ...dated };
  return { ...dated, profiles: [], signatures: [], spamStatistics: {}, others: new Map() };
}
