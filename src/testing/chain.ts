import { refuseByRule } from "../arguments/refuse.js";
import type { Block } from "../http/call.js";
import { maximum } from "../values/integers.js";
import { checkData, type FakeNodeData, hasLists, type RecordTimes, readRecords, withoutUndefined } from "./data.js";
import { firstHeight, RecordGenerator, withWeights } from "./generator.js";
import type { CreateOptions } from "./options.js";
import { firstIndex } from "./sorted.js";
import { type AddedRecords, defaultRecords, type Records, Store } from "./store.js";
import { versionRules } from "./versions.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "./wire.js";

/** The time of the newest generated record: 9 February 2024. */
const newestTime = 1_707_497_695_123_456_000n;
const second = 1_000_000_000n;

/** Does not keep a process of Node.js running. */
const backgroundTimer: NonNullable<CreateOptions["after"]> = (milliseconds, callback) => {
  const timer: unknown = setTimeout(callback, milliseconds);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
};

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
  readonly #generator: RecordGenerator;
  readonly #activity: Activity;
  /** Those that have begun since the chain was created. */
  readonly #blocks: Block[] = [];
  pause = (): void => {};

  /** @param blockEvery - After how many milliseconds a block ends by itself, with the records of a live chain in it. */
  constructor(given: FakeNodeData, blockEvery?: number, after: CreateOptions["after"] = backgroundTimer) {
    checkData(given);
    const data = hasLists(given) ? given : { ...defaultRecords, ...withoutUndefined(given) };
    this.seed = data.seed ?? 1;
    this.#generator = new RecordGenerator(this.seed, data.party);
    this.#activity = new Activity(this.#generator, data.party);
    const { block } = data;
    const newest = block === undefined ? newestTime : block.timestamp - second;
    this.#add(data, { newest, inBlock: false, until: block?.timestamp });
    this.#blocks.push(block ?? { height: firstHeight, timestamp: (this.#newest() ?? newestTime) + second });
    if (blockEvery !== undefined) this.#endBlocks(blockEvery, after);
  }

  #endBlocks(milliseconds: number, after: NonNullable<CreateOptions["after"]>): void {
    this.pause = after(milliseconds, () => {
      this.#endBlocks(milliseconds, after);
      const data = this.#activity.next(this.block.timestamp, this.store.recordsOf(versionRules["v0.74"]));
      this.nextBlock(data, BigInt(Math.round(milliseconds * 1e6)));
    });
  }

  /** The current block. */
  get block(): Block {
    return this.#blocks.at(-1) as Block;
  }

  /** The block that was current some blocks ago; of a negative number, one that is to begin. */
  blockBefore(count: number): Block {
    const { height, timestamp } = this.block;
    const wanted = height - BigInt(count);
    if (count <= 0) return { height: wanted, timestamp: timestamp - BigInt(count) * second };
    const known = this.#blocks[firstIndex(this.#blocks, (block) => block.height > wanted) - 1];
    if (known) return known;
    // Blocks before the first one are a second apart, but neither height nor time is negative.
    const first = this.#blocks[0] as Block;
    const reached = maximum(wanted, 0n);
    return { height: reached, timestamp: maximum(first.timestamp - (first.height - reached) * second, 0n) };
  }

  /** @param blockTime - How much later the next block begins, in nanoseconds. */
  nextBlock(data: FakeNodeData, blockTime = second): void {
    checkData(data);
    const { height, timestamp } = this.block;
    this.#add(data, { newest: timestamp, inBlock: true, until: data.block?.timestamp });
    const newest = this.#newest() ?? timestamp;
    this.#blocks.push(data.block ?? { height: height + 1n, timestamp: maximum(newest, timestamp) + blockTime });
  }

  addRecords(data: FakeNodeData): void {
    checkData(data);
    if (data.block !== undefined)
      refuseByRule({ argument: "data.block" }, "cannot be given, because the block does not end. Omit it");
    const { timestamp } = this.block;
    this.#add(data, { newest: timestamp, inBlock: true, until: timestamp });
  }

  #add(data: FakeNodeData, times: RecordTimes): void {
    const records = readRecords(data, this.#generator, times);
    this.store.add(records);
    this.additions.push({ records, since: times.inBlock ? toMicroseconds(times.newest) : Number.NEGATIVE_INFINITY });
  }

  /** The time of the newest record, in nanoseconds. */
  #newest(): bigint | undefined {
    const newest = Math.max(this.store.newestVote, this.store.balances.rows.at(-1)?.time ?? Number.NEGATIVE_INFINITY);
    return Number.isFinite(newest) ? BigInt(toNanosecondDigits(newest)) : undefined;
  }
}

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
    if (end === this.#end) return this.#store;
    const { additions } = this.#chain;
    for (const [index, addition] of additions.entries()) {
      const next = additions[index + 1];
      const isComplete = next !== undefined && next.since < this.#end;
      if (!isComplete) this.#store.add(between(addition, this.#end, end));
    }
    this.#end = end;
    return this.#store;
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

/** How many blocks a proposal is open for. */
const blocksOfProposal = 20;

/** The proposals before the first one that opens: those of generated votes. */
const earlierProposals = 3;

/** What happens on a live chain: balances change, parties vote, and proposals open and close. */
class Activity {
  readonly #generator: RecordGenerator;
  readonly #party: string | undefined;
  #blocks = 0;
  #voters = 0;

  /** @param party - A party that has a balance change in each block, and votes first on each proposal. */
  constructor(generator: RecordGenerator, party: string | undefined) {
    this.#generator = generator;
    this.#party = party;
  }

  /** The records of the next block, at a time in Unix nanoseconds. */
  next(time: bigint, { votes: cast }: Records): FakeNodeData {
    const generator = this.#generator;
    const proposal = earlierProposals + Math.floor(this.#blocks / blocksOfProposal);
    const isFirst = this.#blocks % blocksOfProposal === 0;
    if (isFirst) this.#voters = 0;
    this.#blocks++;
    const count = 1 + (this.#blocks % 3);
    const votes = Array.from({ length: count }, () => generator.vote(this.#voters++, proposal, time));
    const balances = generator.balances(2 + (this.#blocks % 5), time, true);
    const own = this.#party === undefined ? [] : [generator.balanceOf(this.#party, this.#blocks, time)];
    // When a proposal closes, all its votes are rewritten in one block, with their weights (observed on v0.74 nodes).
    const closing = generator.proposal(proposal - 1);
    const closed =
      isFirst && proposal > earlierProposals ? cast.filter(({ proposalId }) => proposalId === closing) : [];
    const rewritten = withWeights(closed, closing).map((vote) => ({ ...vote, blockTime: `${time}` as const }));
    return { votes: [...rewritten, ...votes], balances: [...balances, ...own] };
  }
}
