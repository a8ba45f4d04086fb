import type { BalanceChange, NodeSignature } from "../../../src/index.js";
import type { FakeVote } from "../../../src/testing/index.js";
import { mulberry32 } from "../../../src/testing/random.js";
import { hex, voteAt } from "../records.js";

export const second = 1_000_000_000n;
export const day = 86_400n * second;
/** 1 February 2024. */
export const firstDay = 1_706_745_600n * second;

/** What one block writes. */
export interface WorldBlock {
  time: bigint;
  balances: BalanceChange[];
  votes: FakeVote[];
  signatures: NodeSignature[];
}

/** How a node differs from one that is healthy and keeps everything. */
export interface WorldNode {
  version: "v0.74" | "v0.79";
  /** Whether it refuses ranges as v0.75 nodes do. */
  isOlder?: boolean;
  /** Whether its machine is in another time zone than UTC. */
  isEast?: boolean;
  /** The time from which on it keeps balance changes; 0 for all. It can be any time. */
  keeps: bigint;
  /** How many blocks it is behind. */
  lag: number;
  /** Whether it has the records of the block that its headers name, although it is behind. */
  shows?: boolean | undefined;
  /** Until which request of the client it has no block at all. */
  emptyUntil?: number | undefined;
  /** How many requests a second it serves, and at once, and how many it rejects before a ban. Default: any number. */
  limit?: { rate: number; burst: number; refusals: number; ban: number } | undefined;
  /** Milliseconds until it responds, and by how many times that a response can take longer. */
  latency: number;
  jitter?: number | undefined;
  /** Which of its responses name a block. */
  headers: "all" | "some" | "none";
  /** The most records on a page, whatever a request asks for. */
  clamp?: number | undefined;
  /** From which request of the client to which one it refuses connections. */
  stopped?: readonly [from: number, to: number] | undefined;
  fault?: { name: FaultName; share: number } | undefined;
  /**
   * How many of its pages of balance changes end before their last records, as if the list ended there: nodes do so if a query fails.
   * Queries fail now and then, not all of them and none of the next few.
   */
  failedQueries?: number | undefined;
}

const faultNames = ["empty-object", "maintenance", "html", "reset", "truncated", "503", "400"] as const;
export type FaultName = (typeof faultNames)[number] | "hang";

/** What happens before a request of the client. */
export interface WorldEvent {
  request: number;
  /**
   * Blocks end, or one is shown before its end; a node drops all before a later record, or before a later day, or falls behind by blocks; the
   * network is restarted from a checkpoint, so that its heights begin anew.
   */
  name: "block" | "show-block" | "drop" | "drop-day" | "lag" | "restart";
  node: number;
  count: number;
}

/** A network, and what happens while it is read: plain data that follows from a seed. */
export interface World {
  seed: number;
  /** How a client reaches the nodes: all behind one address, or as a pool. */
  access: "address" | "pool";
  /** Which node responds behind one address. */
  balancing: "random" | "turns" | "sticky";
  nodes: readonly WorldNode[];
  /** What the chain holds when a reading begins. */
  blocks: readonly WorldBlock[];
  /** What comes later. */
  growth: readonly WorldBlock[];
  events: readonly WorldEvent[];
  /** Milliseconds between blocks, in addition to those of events; 0 for none. */
  blockEvery: number;
  /** How many days the clocks are ahead of the chain, and by how many the caller's clock is wrong. */
  clockAhead: number;
  clockWrong: number;
  /** Whether the client keeps within the rate limits. */
  pacing: boolean;
  /** Whether its nodes are healthy but a block apart, and most votes are cast again and again. */
  isApart: boolean;
  /** Whether its parties have few records, among many of others over more than a year. */
  isSparse: boolean;
  parties: readonly string[];
  proposals: readonly string[];
  /** The resource of all signatures. */
  resource: string;
}

/** Whether a world has what was added later. Earlier seeds, some of which were once read wrongly, keep their worlds. */
export const isRich = (seed: number): boolean => seed >= 1_024_000_000;

/** Random choices that follow from a seed. */
export class Choices {
  readonly #next: () => number;
  constructor(seed: number) {
    this.#next = mulberry32(seed);
    // Seeds that follow each other begin alike.
    for (let index = 0; index < 5; index++) this.#next();
  }
  /** An integer from `min` to `max`. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#next() * (max - min + 1));
  }
  chance(share: number): boolean {
    return this.#next() < share;
  }
  one<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }
  /** Some of the items, each once. */
  some<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    return Array.from({ length: Math.min(count, items.length) }, () =>
      rest.splice(this.integer(0, rest.length - 1), 1),
    ).flat();
  }
}

const eventNames = [
  ...(["block", "block", "block", "block", "show-block", "drop", "drop-day", "lag"] as const),
  ...(["block", "block", "block", "block", "show-block", "drop", "drop-day", "restart"] as const),
];

const type24 = "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION";

/** The world of a seed. */
export function worldOf(seed: number): World {
  const choose = new Choices(seed);
  const span = choose.chance(0.12) ? choose.integer(380, 900) : choose.integer(1, 12);
  const isApart = choose.chance(0.15);
  const parties = Array.from({ length: choose.integer(2, 6) }, (_, index) => hex(0xa0 + index));
  const proposals = [hex(0xe0), hex(0xe1)];
  const times = timesOf(choose, span);
  const writer = new BlockWriter(choose, parties, proposals, isApart);
  const blocks = times.map((time) => writer.write(time));
  const growth: WorldBlock[] = [];
  let time = times.at(-1) ?? firstDay;
  for (let index = choose.integer(0, 40); index > 0; index--) {
    time += BigInt(choose.one([1, 1, 1, 2, 20])) * second;
    growth.push(writer.write(time));
  }
  // Choices of their own, so that the worlds of earlier seeds stay as they are.
  const [variants, sparse] = [new Choices(seed ^ 0x75), new Choices(seed ^ 0x59)];
  const isSparse = span > 12 && sparse.chance(0.5);
  if (isSparse) thinOut(sparse, parties, blocks);
  const mixes = choose.chance(0.3);
  const version = choose.one(["v0.74", "v0.79"] as const);
  const count = choose.one([1, 2, 2, 2, 3, 3, 4]);
  const nodes = Array.from({ length: count }, () =>
    nodeOf(choose, mixes ? choose.one(["v0.74", "v0.79"]) : version, times, count),
  );
  // Two nodes name one block, of which one of them has the records.
  if (count > 1 && choose.chance(0.15))
    for (const [index, node] of nodes.entries())
      Object.assign(node, { lag: 2, shows: index % 2 === 1, emptyUntil: undefined });
  const isQuiet = choose.chance(0.2);
  const events: WorldEvent[] = [];
  if (isApart) {
    for (const [index, node] of nodes.entries()) {
      Object.assign(node, { ...healthy, lag: index > 0 || choose.chance(0.2) ? 1 : 0 });
    }
    const every = choose.one([1, 3, 6, 100, 100, 100]);
    for (let request = every; request < 40; request += every) {
      events.push({ request, name: "block", node: 0, count: 1 });
    }
  }
  for (let index = isQuiet || isApart ? 0 : choose.integer(0, 14); index > 0; index--) {
    const name = choose.one(eventNames);
    const count = name === "lag" ? choose.one([0, 1, 2, 5]) : choose.integer(1, 3);
    events.push({ request: choose.integer(1, 30), name, node: choose.integer(0, nodes.length - 1), count });
  }
  for (const node of nodes) {
    if (isSparse && sparse.chance(0.7)) node.version = "v0.79";
    node.isOlder = node.version === "v0.79" && variants.chance(0.3);
    node.isEast = variants.chance(0.2);
    if (variants.chance(0.1)) node.failedQueries = variants.one([0.1, 0.3]);
  }
  const delays = new Choices(seed ^ 0xde1a);
  for (const node of isRich(seed) ? nodes : []) {
    if (!isApart && delays.chance(0.08)) node.fault = { name: "hang", share: delays.one([0.05, 0.3, 1]) };
    if (delays.chance(0.25)) node.jitter = delays.one([1, 5, 20]);
  }
  // A proxy removes the headers of all responses.
  if (variants.chance(0.05)) for (const node of nodes) node.headers = "none";
  return {
    seed,
    access: choose.one(["address", "pool"]),
    balancing: choose.one(["random", "random", "turns", "sticky"]),
    nodes,
    blocks,
    growth,
    events: events.sort((a, b) => a.request - b.request),
    blockEvery: !isQuiet && choose.chance(0.3) ? choose.one([500, 1000, 5000]) : 0,
    clockAhead: choose.chance(0.05) ? 900 : 0,
    clockWrong: choose.chance(0.2) ? choose.one([-1, 1]) : 0,
    pacing: choose.chance(0.5),
    isApart,
    isSparse,
    parties,
    proposals,
    resource: hex(0xf0),
  };
}

/** The times of blocks: some at random, some of them the first of many that follow at once, and ten at the end. */
function timesOf(choose: Choices, span: number): bigint[] {
  const seconds = new Set<number>();
  for (let index = choose.integer(6, 40); index > 0; index--) {
    const first = choose.integer(0, span * 86_400);
    const length = choose.chance(0.2) ? choose.integer(2, 12) : 1;
    for (let next = 0; next < length; next++) seconds.add(first + next);
  }
  const end = span * 86_400 + 20;
  for (let index = 0; index < 10; index++) seconds.add(end + index * 2);
  const start = firstDay + BigInt(choose.integer(0, 86_399)) * second;
  return [...seconds].sort((a, b) => a - b).map((each) => start + BigInt(each) * second);
}

/** Leaves the parties of a world few of their records, and adds others that have one every few days. */
function thinOut(choose: Choices, parties: readonly string[], blocks: WorldBlock[]): void {
  for (const block of blocks) if (choose.chance(0.8)) block.balances = [];
  const [first, last] = [blocks[0]?.time ?? firstDay, blocks.at(-1)?.time ?? firstDay];
  const every = BigInt(choose.one([2, 7, 30])) * day;
  for (let time = first - BigInt(choose.one([0, 400, 800])) * day + 1000n; time < last; time += every) {
    const partyId = choose.chance(0.02) ? choose.one(parties) : hex(0x90 + choose.integer(0, 8));
    const account = { partyId, assetId: hex(0xc0), marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" };
    const balances = [{ ...account, timestamp: `${time}` as const, balance: `${time / second}` }];
    blocks.push({ time, balances, votes: [], signatures: [] });
  }
  blocks.sort((a, b) => Number(a.time - b.time));
}

/** Writes the records of blocks one after the other. */
class BlockWriter {
  readonly #choose: Choices;
  readonly #accounts: readonly Omit<BalanceChange, "timestamp" | "balance">[];
  readonly #voters: readonly string[];
  readonly #proposals: readonly string[];
  readonly #votes = new Map<string, FakeVote>();
  readonly #castsInBlock: readonly number[];
  #balance = 0;
  #signatures = 0;

  constructor(choose: Choices, parties: readonly string[], proposals: readonly string[], isApart: boolean) {
    this.#choose = choose;
    this.#proposals = proposals;
    const types = ["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_MARGIN", "ACCOUNT_TYPE_VESTED_REWARDS"];
    if (choose.chance(0.35)) types.push(type24);
    this.#accounts = parties.flatMap((partyId) =>
      types.flatMap((accountType) =>
        [hex(0xc0), hex(0xc1)].map((assetId) => ({
          partyId,
          assetId,
          marketId: accountType === "ACCOUNT_TYPE_MARGIN" ? hex(0xd0) : "",
          accountType,
        })),
      ),
    );
    this.#voters = Array.from({ length: isApart ? 80 : choose.integer(1, 50) }, (_, index) => hex(0xa0 + index));
    this.#castsInBlock = isApart
      ? [3, 4, 5]
      : choose.one([
          [0, 0, 0, 1, 2],
          [0, 1, 1, 2, 4],
          [1, 2, 3, 4],
        ]);
  }

  write(time: bigint): WorldBlock {
    const choose = this.#choose;
    const timestamp = `${time}` as const;
    const accounts = choose.some(this.#accounts, choose.chance(0.05) ? 40 : choose.integer(0, 4));
    const balances = accounts.map((account) => ({ ...account, timestamp, balance: String(++this.#balance) }));
    const [closing = ""] = this.#proposals;
    const open = this.#proposals[choose.integer(0, 1)] ?? closing;
    const cast = choose.some(this.#voters, choose.one(this.#castsInBlock)).map((partyId) => {
      const proposalId = choose.chance(0.7) ? closing : open;
      return voteAt(time, proposalId, { partyId, value: choose.one(["VALUE_YES", "VALUE_NO"]) });
    });
    const written = new Map(cast.map((vote) => [`${vote.proposalId} ${vote.partyId}`, vote]));
    // A proposal closes, which writes all its votes anew.
    if (choose.chance(0.01)) {
      for (const [key, vote] of this.#votes) {
        const rewritten = { ...vote, blockTime: timestamp, totalGovernanceTokenWeight: `0.${vote.timestamp}` };
        if (vote.proposalId === closing && !written.has(key)) written.set(key, rewritten);
      }
    }
    for (const [key, vote] of written) this.#votes.set(key, vote);
    const signatures = Array.from({ length: choose.one([0, 0, 0, 1, 2]) }, () => ({
      id: hex(0xf0),
      sig: btoa(String.fromCharCode(...[choose.integer(0, 255), this.#signatures >> 8, this.#signatures++ & 255])),
      kind: "NODE_SIGNATURE_KIND_ASSET_NEW",
    }));
    return { time, balances, votes: [...written.values()], signatures };
  }
}

function nodeOf(choose: Choices, version: WorldNode["version"], times: readonly bigint[], count: number): WorldNode {
  const node: WorldNode = {
    version,
    keeps: choose.chance(0.45) ? historyOf(choose, times) : 0n,
    lag: count > 1 && choose.chance(0.3) ? choose.one([1, 1, 2, 5, 12]) : 0,
    latency: choose.one([10, 10, 20, 50, 150, 1500]),
    headers: choose.chance(0.15) ? choose.one(["some", "none"] as const) : "all",
  };
  if (choose.chance(0.15)) node.clamp = choose.integer(2, 15);
  if (choose.chance(0.15)) {
    const from = choose.integer(0, 20);
    node.stopped = [from, from + choose.integer(1, 15)];
  }
  if (choose.chance(0.15)) node.fault = { name: choose.one(faultNames), share: choose.one([0.05, 0.3, 1]) };
  if (count > 1 && choose.chance(0.1)) node.emptyUntil = choose.one([3, 10, 1e9]);
  if (choose.chance(0.1))
    // A client sends three requests before it knows the limit. A ban lasts a minute instead of ten: each poll of a follower that does not
    // pace its requests can end in one, and the world must become calm within an hour.
    node.limit = { rate: choose.one([1, 5]), burst: choose.integer(3, 6), refusals: choose.one([0, 1, 100]), ban: 60 };
  return node;
}

/** Any time: that of a block or a moment later, between two, the start of a day, or minutes ago. */
function historyOf(choose: Choices, times: readonly bigint[]): bigint {
  const [first, last] = [times[0] ?? firstDay, times.at(-1) ?? firstDay];
  const between = first + BigInt(choose.integer(0, Number((last - first) / second))) * second;
  return {
    block: choose.one(times),
    after: choose.one(times) + 1000n,
    between,
    day: (between / day) * day,
    recent: last - BigInt(choose.integer(0, 15)) * second,
  }[choose.one(["block", "after", "between", "day", "recent"] as const)];
}

/** All that can be wrong with a node, not being so. */
export const healthy = {
  isOlder: false,
  isEast: false,
  keeps: 0n,
  lag: 0,
  shows: undefined,
  emptyUntil: undefined,
  limit: undefined,
  latency: 10,
  jitter: undefined,
  headers: "all",
  clamp: undefined,
  stopped: undefined,
  fault: undefined,
  failedQueries: undefined,
} as const;

/** A node that is there throughout a reading, and keeps up. */
export const isHealthy = ({ lag, stopped, fault, headers, emptyUntil, limit, failedQueries }: WorldNode) =>
  lag === 0 &&
  headers === "all" &&
  [stopped, fault, emptyUntil, limit, failedQueries].every((each) => each === undefined);
