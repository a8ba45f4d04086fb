import { TransactionCheck } from "./check.js";
import { checkData, type FakeBlock, type FakeNodeData } from "./data.js";
import { type Generators, readRecords, type TimeBounds } from "./read-records.js";
import { RecordGenerator } from "./records.js";
import { Store } from "./store.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "./time.js";

/** The time of the newest generated record: 9 February 2024. */
const newestTime = 1_707_497_695_123_456_000n;
const second = 1_000_000_000n;

/** The records of a node and the block that has begun. */
export class Chain {
  readonly store = new Store();
  readonly transactions = new TransactionCheck();
  readonly seed: number;
  block: FakeBlock;
  history: Microseconds = Number.NEGATIVE_INFINITY;
  unstableTies = false;
  readonly #generator: RecordGenerator;

  constructor(data: FakeNodeData) {
    checkData(data);
    this.seed = data.seed ?? 1;
    this.#generator = new RecordGenerator(this.seed);
    const newest = data.block === undefined ? newestTime : data.block.timestamp - second;
    this.#add(data, this.#generators(newest), { until: data.block?.timestamp });
    this.block = data.block ?? { height: 1_234_568n, timestamp: (this.#newest() ?? newestTime) + second };
  }

  nextBlock(data: Omit<FakeNodeData, "seed">): void {
    checkData(data);
    const { height, timestamp } = this.block;
    this.#add(data, this.#blockGenerators(timestamp), { since: timestamp, until: data.block?.timestamp });
    const newest = this.#newest() ?? timestamp;
    this.block = data.block ?? { height: height + 1n, timestamp: (newest > timestamp ? newest : timestamp) + second };
    this.transactions.nextBlock();
  }

  #add(data: FakeNodeData, generators: Generators, bounds: TimeBounds): void {
    this.store.add(readRecords(data, generators, bounds));
    // A node that keeps times from a nanosecond on has no row of the microsecond in which that lies.
    if (data.history !== undefined) this.history = -toMicroseconds(-data.history);
    this.unstableTies = data.unstableTies ?? this.unstableTies;
  }

  /** The time of the newest record, in nanoseconds. */
  #newest(): bigint | undefined {
    const newest = Math.max(this.store.votes.newest, this.store.balances.rows.at(-1)?.time ?? Number.NEGATIVE_INFINITY);
    return Number.isFinite(newest) ? BigInt(toNanosecondDigits(newest)) : undefined;
  }

  #generators(newest: bigint): Generators {
    return {
      votes: (count) => this.#generator.votes(count, newest),
      profiles: (count) => this.#generator.profiles(count),
      balances: (count) => this.#generator.balances(count, newest),
      signatures: (count) => this.#generator.signatures(count),
      spamStatistics: (count) => this.#generator.spamStatistics(count),
    };
  }

  #blockGenerators(time: bigint): Generators {
    return {
      ...this.#generators(time),
      votes: (count) => this.#generator.votesInBlock(count, time),
      balances: (count) => this.#generator.balancesInBlock(count, time),
    };
  }
}
