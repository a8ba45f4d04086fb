import { refuseByRule } from "../arguments/refuse.js";
import type { Block } from "../values/block.js";
import { maximum } from "../values/integers.js";
import { checkData, type FakeNodeData, type RecordTimes, readRecords, withDefaultRecords } from "./data.js";
import { RecordGenerator, second } from "./generator.js";
import { type AddedRecords, Store, writtenAt } from "./store.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "./wire.js";

/** The time of the newest generated record: 9 February 2024. */
const newestTime = 1_707_497_695_123_456_000n;
/** The height of the first block, unless data has one. */
const firstHeight = 1_234_568n;

/** Blocks and their records, which any number of nodes follow. */
export class Chain {
  readonly store = new Store();
  readonly seed: number;
  readonly #generator: RecordGenerator;
  /** Records that were added at once, each with the time of the block that was current. */
  readonly #additions: { records: AddedRecords; since: Microseconds }[] = [];
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

  /** The block that was current some blocks ago; with a negative number, a future one. */
  blockBefore(count: number): Block {
    const { height, timestamp } = this.block;
    if (count <= 0) return { height: height - BigInt(count), timestamp: timestamp - BigInt(count) * second };
    // By their order: heights start again when a network is restarted from a checkpoint.
    const known = this.#blocks.at(-1 - count);
    if (known) return known;
    // Blocks before the first one are a second apart. A node without a block has height 0 and time 0 (observed on v0.74
    // nodes).
    const first = this.#blocks[0] as Block;
    const before = BigInt(count - this.#blocks.length + 1);
    if (before >= first.height || before * second > first.timestamp) return { height: 0n, timestamp: 0n };
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

  /** The records before a time, as on a lagging node. Records without a time have the time of their block. */
  storeBefore(end: Microseconds): Store {
    const store = new Store();
    for (const { records, since } of this.#additions) {
      if (since >= end) continue;
      store.add({
        ...records,
        votes: records.votes.filter((vote) => writtenAt(vote) < end),
        balances: records.balances.filter(({ timestamp }) => toMicroseconds(timestamp) < end),
      });
    }
    return store;
  }

  #add(data: FakeNodeData, times: RecordTimes): void {
    const records = readRecords(data, this.#generator, times);
    this.store.add(records);
    const since = times.inBlock ? toMicroseconds(times.newest) : 0;
    this.#additions.push({ records, since });
  }

  #newest(): bigint | undefined {
    const newest = Math.max(this.store.votes.newest, this.store.balances.newest);
    return Number.isFinite(newest) ? BigInt(toNanosecondDigits(newest)) : undefined;
  }
}
