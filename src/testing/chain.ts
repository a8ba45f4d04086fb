import { refuseByRule } from "../arguments/refuse.js";
import type { Block } from "../http/call.js";
import { maximum } from "../values/integers.js";
import { checkData, type FakeNodeData, type RecordTimes, readRecords, withDefaultRecords } from "./data.js";
import { firstHeight, RecordGenerator } from "./generator.js";
import { writtenAt } from "./lists/votes.js";
import { type AddedRecords, Store } from "./store.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "./wire.js";

/** The time of the newest generated record: 9 February 2024. */
const newestTime = 1_707_497_695_123_456_000n;
const second = 1_000_000_000n;

export class Chain {
  readonly store = new Store();
  /** Records that were added at once, each with the time of the current block: no record of a later addition is older. */
  readonly additions: { records: AddedRecords; since: Microseconds }[] = [];
  readonly seed: number;
  readonly #generator: RecordGenerator;
  /** Those that have begun since the chain was created. */
  readonly #blocks: Block[] = [];

  constructor(given: FakeNodeData) {
    checkData(given);
    const data = withDefaultRecords(given);
    this.seed = data.seed ?? 1;
    this.#generator = new RecordGenerator(this.seed, data.party);
    const { block } = data;
    const newest = block === undefined ? newestTime : block.timestamp - second;
    this.#add(data, { newest, inBlock: false, until: block?.timestamp });
    this.#blocks.push(block ?? { height: firstHeight, timestamp: (this.#newest() ?? newestTime) + second });
  }

  get block(): Block {
    return this.#blocks.at(-1) as Block;
  }

  /** The block that was current some blocks ago; of a negative number, one that is to begin. */
  blockBefore(count: number): Block {
    const { height, timestamp } = this.block;
    if (count <= 0) return { height: height - BigInt(count), timestamp: timestamp - BigInt(count) * second };
    // By their order: heights begin anew when a network is restarted from a checkpoint.
    const known = this.#blocks.at(-1 - count);
    if (known) return known;
    // Blocks before the first one are a second apart. A node without a block has height 0 and time 0 (observed on v0.74 nodes).
    const first = this.#blocks[0] as Block;
    const before = BigInt(count - this.#blocks.length + 1);
    const isEmpty = before >= first.height || before * second > first.timestamp;
    if (isEmpty) return { height: 0n, timestamp: 0n };
    return { height: first.height - before, timestamp: first.timestamp - before * second };
  }

  nextBlock = (data: FakeNodeData = {}): void => {
    checkData(data);
    const { height, timestamp } = this.block;
    this.#add(data, { newest: timestamp, inBlock: true, until: data.block?.timestamp });
    const newest = this.#newest() ?? timestamp;
    this.#blocks.push(data.block ?? { height: height + 1n, timestamp: maximum(newest, timestamp) + second });
  };

  addRecords = (data: FakeNodeData): void => {
    checkData(data);
    if (data.block !== undefined)
      refuseByRule({ argument: "data.block" }, "cannot be given, because the block does not end. Omit it");
    const { timestamp } = this.block;
    this.#add(data, { newest: timestamp, inBlock: true, until: timestamp });
  };

  #add(data: FakeNodeData, times: RecordTimes): void {
    const records = readRecords(data, this.#generator, times);
    this.store.add(records);
    this.additions.push({ records, since: times.inBlock ? toMicroseconds(times.newest) : Number.NEGATIVE_INFINITY });
  }

  #newest(): bigint | undefined {
    const newest = Math.max(this.store.newestVote, this.store.balances.rows.at(-1)?.time ?? Number.NEGATIVE_INFINITY);
    return Number.isFinite(newest) ? BigInt(toNanosecondDigits(newest)) : undefined;
  }
}

/** Returns the records of a chain as a node sees them that is some blocks behind: those below the time of its current block. */
export function viewOf(chain: Chain): (lag: number) => Store {
  let store = new Store();
  /** The store has all records below this time. */
  let complete: Microseconds = Number.NEGATIVE_INFINITY;
  return (lag) => {
    if (lag <= 0) return chain.store;
    const end = toMicroseconds(chain.blockBefore(lag).timestamp);
    // Without a block, a node has nothing at all.
    if (end === 0) return new Store();
    if (end < complete) {
      store = new Store();
      complete = Number.NEGATIVE_INFINITY;
    }
    if (end === complete) return store;
    for (const [index, addition] of chain.additions.entries()) {
      const next = chain.additions[index + 1];
      const isThere = next !== undefined && next.since < complete;
      if (!isThere) store.add(between(addition, complete, end));
    }
    complete = end;
    return store;
  };
}

/** The records from a time on and before another one. Records without a time have that of the block in which they were added. */
function between({ records, since }: Chain["additions"][number], from: Microseconds, to: Microseconds): AddedRecords {
  const isBetween = (time: Microseconds) => time >= from && time < to;
  const dated = {
    votes: records.votes.filter((vote) => isBetween(writtenAt(vote))),
    balances: records.balances.filter(({ timestamp }) => isBetween(toMicroseconds(timestamp))),
  };
  if (isBetween(since)) return { ...records, ...dated };
  return { ...dated, profiles: [], signatures: [], spamStatistics: {} };
}
