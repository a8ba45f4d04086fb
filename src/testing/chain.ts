import { refuseByRule } from "../arguments/refuse.js";
import { maximum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/nanoseconds.js";
import { Activity } from "./activity.js";
import { type After, backgroundTimer, repeat } from "./advance.js";
import { RecordCompletion, type TimeOf, withoutUndefined } from "./completion.js";
import {
  checkData,
  type FakeBlock,
  type FakeNodeData,
  type PartialBlockData,
  type PartialNodeData,
  someOfEach,
} from "./data.js";
import { type Generators, readRecords, type TimeBounds } from "./read-records.js";
import { RecordGenerator } from "./records.js";
import { firstIndex } from "./sorted.js";
import { type AddedRecords, Store } from "./store.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "./time.js";

/** The time of the newest generated record: 9 February 2024. */
const newestTime = 1_707_497_695_123_456_000n;
const firstHeight = 1_234_568n;
const second = 1_000_000_000n;

/** Records that were added at once. */
export interface Addition {
  records: AddedRecords;
  /** The time of the current block: no record of a later addition is older. */
  since: Microseconds;
}

/** The records and the blocks of a chain, which one or more nodes follow. */
export class Chain {
  readonly store = new Store();
  readonly additions: Addition[] = [];
  readonly seed: number;
  history: Microseconds = Number.NEGATIVE_INFINITY;
  unstableTies = false;
  readonly #generator: RecordGenerator;
  /** Those that have begun since the chain was created. */
  readonly #blocks: FakeBlock[] = [];

  readonly #completion: RecordCompletion | undefined;
  readonly #activity: Activity;
  #cancel = () => {};

  /** @param fill - Whether lists that are left out are generated, and records completed. */
  constructor(data: PartialNodeData, fill = false) {
    checkData(data);
    this.seed = data.seed ?? 1;
    this.#generator = new RecordGenerator(this.seed, data.party);
    this.#activity = new Activity(this.#generator, data.party);
    if (fill) this.#completion = new RecordCompletion(this.seed);
    const newest = data.block === undefined ? newestTime : data.block.timestamp - second;
    const timeOf: TimeOf = (index, count) => `${newest - BigInt(count - 1 - index) * second}`;
    const all = fill ? { ...someOfEach, ...withoutUndefined(data) } : data;
    this.#add(all, timeOf, this.#generators(newest), { until: data.block?.timestamp });
    this.#blocks.push(data.block ?? { height: firstHeight, timestamp: (this.#newest() ?? newestTime) + second });
  }

  /** Ends a block every so many milliseconds, with the records of a live chain in it. */
  start(milliseconds: number, after: After = backgroundTimer): void {
    this.pause();
    const end = () => {
      const data = this.#activity.next(this.block.timestamp, this.store.records);
      this.nextBlock(data, BigInt(Math.round(milliseconds * 1e6)));
    };
    this.#cancel = repeat(milliseconds, end, after);
  }

  /** Ends what {@link start} began. */
  pause(): void {
    this.#cancel();
    this.#cancel = () => {};
  }

  /** The current block. */
  get block(): FakeBlock {
    return this.#blocks.at(-1) as FakeBlock;
  }

  /** The block that was current some blocks ago; of a negative number, one that is to begin. */
  blockBefore(count: number): FakeBlock {
    const { height, timestamp } = this.block;
    const wanted = height - BigInt(count);
    if (count <= 0) return { height: wanted, timestamp: timestamp - BigInt(count) * second };
    const known = this.#blocks[firstIndex(this.#blocks, (block) => block.height > wanted) - 1];
    return known ?? earlier(this.#blocks[0] as FakeBlock, wanted);
  }

  /** @param blockTime - How much later the next block begins, in nanoseconds. */
  nextBlock(data: PartialBlockData, blockTime = second): void {
    checkData(data);
    const { height, timestamp } = this.block;
    this.#addToBlock(data, data.block?.timestamp);
    const newest = this.#newest() ?? timestamp;
    this.#blocks.push(data.block ?? { height: height + 1n, timestamp: maximum(newest, timestamp) + blockTime });
  }

  addRecords(data: PartialBlockData): void {
    checkData(data);
    if (data.block !== undefined)
      refuseByRule({ argument: "data.block" }, "cannot be given, because the block does not end. Omit it");
    this.#addToBlock(data, this.block.timestamp);
  }

  #addToBlock(data: PartialBlockData, until: bigint | undefined): void {
    const { timestamp } = this.block;
    this.#add(data, () => `${timestamp}`, this.#blockGenerators(timestamp), { since: timestamp, until });
  }

  #add(given: PartialNodeData, timeOf: TimeOf, generators: Generators, bounds: TimeBounds): void {
    const height = this.#blocks.at(-1)?.height ?? firstHeight;
    // Without the completion, the types of the public functions require complete records.
    const data = this.#completion?.complete(given, timeOf, height) ?? (given as FakeNodeData);
    const records = readRecords(data, generators, bounds);
    this.store.add(records);
    const since = bounds.since === undefined ? Number.NEGATIVE_INFINITY : toMicroseconds(bounds.since);
    this.additions.push({ records, since });
    if (data.history !== undefined) this.history = oldestKept(data.history);
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

/** A block before the first one that is known: a second before the next one, but neither height nor time is negative. */
function earlier({ height, timestamp }: FakeBlock, wanted: bigint): FakeBlock {
  const reached = maximum(wanted, 0n);
  return { height: reached, timestamp: maximum(timestamp - (height - reached) * second, 0n) };
}

/** Nodes drop the rows of whole days (UTC): a node that keeps a time keeps its day. */
export const oldestKept = (history: bigint): Microseconds => toMicroseconds(history - (history % nanosecondsPerDay));
