import { longestTimer } from "../arguments/check-options.js";
import { refuseByRule } from "../arguments/refuse.js";
import { maximum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/times.js";
import { refuseArgument } from "./arguments.js";
import {
  checkData,
  type FakeBlock,
  type FakeNodeData,
  hasLists,
  type PartialBlockData,
  type PartialNodeData,
  someOfEach,
} from "./data.js";
import { Activity, RecordGenerator } from "./generator.js";
import {
  type Generators,
  RecordCompletion,
  readRecords,
  type TimeBounds,
  type TimeOf,
  withoutUndefined,
} from "./read-records.js";
import { firstIndex } from "./sorted.js";
import { type AddedRecords, Store } from "./store.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "./wire.js";

/** The time of the newest generated record: 9 February 2024. */
const newestTime = 1_707_497_695_123_456_000n;
const firstHeight = 1_234_568n;
const second = 1_000_000_000n;

/** Calls back after some milliseconds. The returned function cancels it. */
export type After = (milliseconds: number, callback: () => void) => () => void;

const systemTimer: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/** Does not keep a process of Node.js running. */
const backgroundTimer: After = (milliseconds, callback) => {
  const timer: unknown = setTimeout(callback, milliseconds);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
};

/**
 * Calls back every so many milliseconds, until the returned function is called.
 *
 * @throws `ArgumentError` for an interval that no timer has.
 */
export function repeat(milliseconds: number, callback: () => void, after: After = systemTimer): () => void {
  if (!(typeof milliseconds === "number" && milliseconds > 0 && milliseconds <= longestTimer)) {
    refuseArgument("milliseconds", `a number above 0, at most ${longestTimer}`, milliseconds);
  }
  let cancel = () => {};
  const schedule = () => {
    cancel = after(milliseconds, () => {
      // First, so that an error of the callback does not end the repetition.
      schedule();
      callback();
    });
  };
  schedule();
  return () => cancel();
}

/** Records that were added at once. */
interface Addition {
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
  readonly #generator: RecordGenerator;
  /** Those that have begun since the chain was created. */
  readonly #blocks: FakeBlock[] = [];
  readonly #completion: RecordCompletion | undefined;
  readonly #activity: Activity;
  #cancel = () => {};

  /** @param fill - Whether lists that are left out are generated, and records completed. */
  constructor(given: PartialNodeData, fill = false) {
    checkData(given);
    const data = fill || !hasLists(given) ? { ...someOfEach, ...withoutUndefined(given) } : given;
    this.seed = data.seed ?? 1;
    this.#generator = new RecordGenerator(this.seed, data.party);
    this.#activity = new Activity(this.#generator, data.party);
    if (fill) this.#completion = new RecordCompletion(this.seed);
    const newest = data.block === undefined ? newestTime : data.block.timestamp - second;
    const timeOf: TimeOf = (index, count) => `${newest - BigInt(count - 1 - index) * second}`;
    this.#add(data, timeOf, this.#generators(newest), { until: data.block?.timestamp });
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
    const generators = {
      ...this.#generators(timestamp),
      votes: (count: number) => this.#generator.votesInBlock(count, timestamp),
      balances: (count: number) => this.#generator.balancesInBlock(count, timestamp),
    };
    this.#add(data, () => `${timestamp}`, generators, { since: timestamp, until });
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
  }

  /** The time of the newest record, in nanoseconds. */
  #newest(): bigint | undefined {
    const newest = Math.max(this.store.newestVote, this.store.balances.rows.at(-1)?.time ?? Number.NEGATIVE_INFINITY);
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
}

/** A block before the first one that is known: a second before the next one, but neither height nor time is negative. */
function earlier({ height, timestamp }: FakeBlock, wanted: bigint): FakeBlock {
  const reached = maximum(wanted, 0n);
  return { height: reached, timestamp: maximum(timestamp - (height - reached) * second, 0n) };
}

/** Nodes drop the rows of whole days (UTC): a node that keeps a time keeps its day. */
export const oldestKept = (history: bigint): Microseconds => toMicroseconds(history - (history % nanosecondsPerDay));

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
