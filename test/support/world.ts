import { connect, type NodePool } from "../../src/client/node-pool.js";
import { createRequester } from "../../src/http/requester.js";
import { type BalanceChange, createClient, type NodeSignature, type VegaClient } from "../../src/index.js";
import { createPool } from "../../src/pool/node-pool.js";
import {
  createFakeNetwork,
  type FakeNetwork,
  type FakeNodeOptions,
  type FakeVote,
  nodeDefects,
} from "../../src/testing/index.js";
import { ManualClock } from "./manual-clock.js";
import { seeded } from "./pooled-network.js";

export const second = 1_000_000_000n;
export const day = 86_400n * second;
/** 1 February 2024. */
const firstDay = 1_706_745_600n * second;

/** What one block writes. */
export interface WorldBlock {
  time: bigint;
  changes: BalanceChange[];
  votes: FakeVote[];
  signatures: NodeSignature[];
}

/** How a node differs from one that is healthy and keeps everything. */
export interface WorldNode {
  version: "v0.74" | "v0.79";
  /** How many whole days of balance changes it keeps, before the current one. Default: all. */
  keepsDays?: number | undefined;
  /** How many blocks it is behind. */
  lag: number;
  /** Milliseconds until it responds. */
  latency: number;
  /** Which of its responses name a block. */
  headers: "all" | "some" | "none";
  /** The most records on a page, whatever a request asks for. */
  clamp?: number | undefined;
  /** From which request of the client to which one it refuses connections. */
  stopped?: readonly [from: number, to: number] | undefined;
  fault?: { name: FaultName; share: number } | undefined;
}

const faultNames = ["empty-object", "maintenance", "html", "reset", "truncated", "503", "400"] as const;
type FaultName = (typeof faultNames)[number];

/** What happens before a request of the client. */
interface WorldEvent {
  request: number;
  /** A block ends, or is half-written; a node drops its oldest days, or falls behind by blocks. */
  name: "block" | "half-block" | "drop" | "lag";
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
  /** How many days the clocks are ahead of the chain. */
  clockAhead: number;
  /** Whether its nodes are healthy but a block apart, and most votes are cast again and again. */
  isApart: boolean;
  parties: readonly string[];
  proposals: readonly string[];
  /** The resource of all signatures. */
  resource: string;
}

/** Random choices that follow from a seed. */
export class Choices {
  readonly #next: () => number;
  constructor(seed: number) {
    this.#next = seeded(seed);
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

const hex = (number: number) => number.toString(16).padStart(64, "0");
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
  const mixes = choose.chance(0.3);
  const version = choose.one(["v0.74", "v0.79"] as const);
  const count = choose.one([1, 2, 2, 2, 3, 3, 4]);
  const nodes = Array.from({ length: count }, () =>
    nodeOf(choose, mixes ? choose.one(["v0.74", "v0.79"]) : version, span, count),
  );
  const isQuiet = choose.chance(0.2);
  const events: WorldEvent[] = [];
  if (isApart) {
    for (const [index, node] of nodes.entries()) {
      Object.assign(node, { ...healthy, version: node.version, lag: index > 0 || choose.chance(0.2) ? 1 : 0 });
    }
    const every = choose.one([1, 3, 6, 100, 100, 100]);
    for (let request = every; request < 40; request += every) {
      events.push({ request, name: "block", node: 0, count: 1 });
    }
  }
  for (let index = isQuiet || isApart ? 0 : choose.integer(0, 14); index > 0; index--) {
    const name = choose.one(["block", "block", "block", "block", "half-block", "drop", "drop", "lag"] as const);
    const count = name === "lag" ? choose.one([0, 1, 2, 5]) : choose.integer(1, 3);
    events.push({ request: choose.integer(1, 30), name, node: choose.integer(0, nodes.length - 1), count });
  }
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
    isApart,
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
    const changes = accounts.map((account) => ({ ...account, timestamp, balance: String(++this.#balance) }));
    const [closing = ""] = this.#proposals;
    const open = this.#proposals[choose.integer(0, 1)] ?? closing;
    const cast = choose
      .some(this.#voters, choose.one(this.#castsInBlock))
      .map((partyId) =>
        voteOf(partyId, choose.chance(0.7) ? closing : open, timestamp, choose.one(["VALUE_YES", "VALUE_NO"])),
      );
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
    return { time, changes, votes: [...written.values()], signatures };
  }
}

const voteOf = (partyId: string, proposalId: string, time: `${bigint}`, value: string): FakeVote => ({
  partyId,
  proposalId,
  timestamp: time,
  blockTime: time,
  value,
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "0",
  totalEquityLikeShareWeight: "0",
});

function nodeOf(choose: Choices, version: WorldNode["version"], span: number, count: number): WorldNode {
  const node: WorldNode = {
    version,
    lag: count > 1 && choose.chance(0.3) ? choose.one([1, 1, 2, 5, 12]) : 0,
    latency: choose.one([10, 10, 20, 50, 150, 1500]),
    headers: choose.chance(0.15) ? choose.one(["some", "none"] as const) : "all",
  };
  if (choose.chance(0.4)) node.keepsDays = choose.integer(0, Math.min(8, span));
  if (choose.chance(0.15)) node.clamp = choose.integer(2, 15);
  if (choose.chance(0.15)) {
    const from = choose.integer(0, 20);
    node.stopped = [from, from + choose.integer(1, 15)];
  }
  if (choose.chance(0.15)) node.fault = { name: choose.one(faultNames), share: choose.one([0.05, 0.3, 1]) };
  return node;
}

const healthy = {
  lag: 0,
  latency: 10,
  headers: "all",
  keepsDays: undefined,
  clamp: undefined,
  stopped: undefined,
  fault: undefined,
} as const;

/** A node that is there throughout a reading, and keeps up. */
const isHealthy = ({ lag, stopped, fault, headers }: WorldNode) =>
  lag === 0 && stopped === undefined && fault === undefined && headers === "all";

/** A vote as a block wrote it. */
interface WrittenVote {
  vote: FakeVote;
  time: bigint;
}

/** A clock on which a timer takes a millisecond at least, as those of runtimes do. */
class WorldClock extends ManualClock {
  /** How many timers were to fire at once. */
  immediate = 0;

  override after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds <= 0) this.immediate++;
    return super.after(Math.max(1, milliseconds), callback);
  }
}

const neverEnds = "The reading does not end";

/** The network of a world, and what a client does with it, on a clock of its own. */
export class RunningWorld {
  readonly world: World;
  readonly clock: WorldClock;
  /** Balance changes of all blocks that have ended or are half-written. */
  readonly changes: BalanceChange[] = [];
  readonly votes: WrittenVote[] = [];
  readonly signatures: (NodeSignature & { time: bigint })[] = [];
  /** The oldest time that each node keeps. */
  readonly kept: bigint[];
  /** The earliest block that a node was at since {@link begin}. */
  lowestHead = 0n;
  /** Since {@link begin}. */
  requests = 0;
  isCalm = false;
  /** After how many requests whatever is wrong with the nodes is no longer. */
  calmAfter = Number.POSITIVE_INFINITY;
  /** Whether the reading also waits on the clock of the system. */
  hasOtherClock = false;
  readonly #network: FakeNetwork;
  readonly #lags: number[];
  readonly #choose: Choices;
  readonly #growth: WorldBlock[];
  #half: WorldBlock | undefined;
  #busy = 0;
  #eventsDone = 0;
  #isAbandoned = false;
  #exhaust: (reason: Error) => void = () => {};

  constructor(world: World) {
    const { nodes, blocks, growth, seed, clockAhead } = world;
    this.world = world;
    this.#choose = new Choices(seed ^ 0x5eed);
    this.#growth = [...growth];
    this.#lags = nodes.map(({ lag }) => lag);
    const head = blocks.at(-1)?.time ?? firstDay;
    this.kept = nodes.map(({ keepsDays }) =>
      keepsDays === undefined ? 0n : startOfDay(head - 60n * second) - BigInt(keepsDays) * day,
    );
    this.clock = new WorldClock({ start: Number(head / 1_000_000n) + clockAhead * 86_400_000 });
    const recent = blocks.slice(-14);
    const old = blocks.slice(0, -14);
    const options = nodes.map(
      ({ version, lag, headers }, index): FakeNodeOptions => ({
        version,
        lag,
        blockHeaders: headers !== "none",
        ...(this.kept[index] && { history: this.kept[index] }),
      }),
    );
    this.#network = createFakeNetwork(
      {
        nodes: options,
        unstableTies: true,
        seed,
        balances: old.flatMap(({ changes }) => changes),
        votes: old.flatMap(({ votes }) => votes),
        signatures: old.flatMap(({ signatures }) => signatures),
        block: { height: 1000n, timestamp: recent[0]?.time ?? head },
      },
      { defects: nodeDefects, rateLimit: false, date: () => this.clock.date() },
    );
    for (const block of old) this.#note(block);
    for (const [index, block] of recent.entries()) {
      this.#note(block);
      this.#endBlock(block, recent[index + 1]?.time ?? growth[0]?.time ?? block.time + second);
    }
  }

  /** A client of the world: its calls use the world's clock. */
  client(): VegaClient {
    const urls = this.#network.nodes.map(({ url }) => url);
    const random = seeded(this.world.seed);
    const baseUrl =
      this.world.access === "pool"
        ? createPool(urls, {}, this.clock, random)
        : addressOn(this.#network.url, this.clock, random);
    return createClient({ baseUrl, fetch: (request) => this.#fetch(request), pacing: false, timeout: 5000 });
  }

  /** A client of one healthy node with the whole chain, or with some records of it. */
  healthyClient(balances: readonly BalanceChange[] = this.changes): VegaClient {
    const { nodes } = createFakeNetwork(
      { nodes: 1, balances, block: this.#network.block },
      { defects: nodeDefects, rateLimit: false },
    );
    const baseUrl = addressOn(nodes[0]?.url ?? "", this.clock, seeded(1));
    return createClient({ baseUrl, fetch: (request) => (nodes[0] ?? this.#network).fetch(request), pacing: false });
  }

  /** The current block of the chain: earlier ones have ended. */
  get head(): bigint {
    return this.#network.block.timestamp;
  }

  /** Begins another reading. */
  begin(): void {
    this.lowestHead = this.#lowestHead();
  }

  /** Runs the clock until a promise is settled. It rejects if the promise takes an hour of that clock. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let cancelHour = () => {};
    let cancelGrowth = () => {};
    const endless = new Promise<never>((_, reject) => {
      this.#exhaust = reject;
      cancelHour = this.clock.after(3_600_000, () => reject(new Error(`${neverEnds} within an hour.`)));
    });
    const { blockEvery } = this.world;
    const grow = () => {
      if (this.#growth.length === 0 || this.isCalm) return;
      this.#nextBlock();
      cancelGrowth = this.clock.after(blockEvery, grow);
    };
    if (blockEvery > 0 && !this.isCalm) cancelGrowth = this.clock.after(blockEvery, grow);
    try {
      return await this.clock.run(Promise.race([promise, endless]), () => {
        return this.#busy > 0 || (this.hasOtherClock && this.clock.pending <= 1);
      });
    } catch (error) {
      if (error instanceof Error && error.message.startsWith(neverEnds)) this.#isAbandoned = true;
      throw error;
    } finally {
      cancelHour();
      cancelGrowth();
    }
  }

  /** Whatever was wrong with the nodes is no longer; what they have dropped stays away. */
  calm(until = 0n): void {
    this.isCalm = true;
    this.#lags.fill(0);
    for (const node of this.#network.nodes) node.configure({ lag: 0, blockHeaders: true });
    while (this.#half || this.head <= until) this.#nextBlock();
  }

  /** The time of the oldest balance change that a reading with an open start must have. */
  oldestWanted(isWanted: (change: BalanceChange) => boolean): bigint | undefined {
    const kept = this.latestHistory;
    const times = this.changes.filter(isWanted).map(({ timestamp }) => BigInt(timestamp));
    return times.filter((time) => time >= kept).sort((a, b) => Number(a - b))[0];
  }

  /** From when on the records are there, whichever node responded: in a pool, those of the healthy node that keeps the most. */
  get latestHistory(): bigint {
    const healthy = this.healthyNodes.map((index) => this.kept[index] ?? 0n);
    return this.world.access === "pool" && healthy.length > 0 ? least(healthy) : greatest(this.kept);
  }

  /** Whether it shows that a node has all balance changes from a time on: it keeps one of that time or of an earlier one. */
  showsHistory(node: number, time: bigint): boolean {
    const kept = this.kept[node] ?? 0n;
    return this.changes.some(({ timestamp }) => BigInt(timestamp) >= kept && BigInt(timestamp) <= time);
  }

  /** Whether any node still has the records of a time. */
  keeps(time: bigint): boolean {
    return this.kept.some((kept) => kept <= time);
  }

  /** Which nodes are there throughout a reading, and keep up. */
  get healthyNodes(): readonly number[] {
    return this.world.nodes.flatMap((node, index) => (isHealthy(node) ? [index] : []));
  }

  #note({ time, changes, votes, signatures }: WorldBlock): void {
    this.changes.push(...changes);
    this.votes.push(...votes.map((vote) => ({ vote, time })));
    this.signatures.push(...signatures.map((signature) => ({ ...signature, time })));
  }

  #endBlock({ changes, votes, signatures }: Omit<WorldBlock, "time">, next: bigint): void {
    const { height } = this.#network.block;
    this.#network.nextBlock({
      balances: changes,
      votes,
      signatures,
      block: { height: height + 1n, timestamp: next },
    });
  }

  /** Ends the current block, which can be half-written. */
  #nextBlock(): void {
    const half = this.#half;
    this.#half = undefined;
    const block = half ?? this.#growth.shift();
    const empty = { changes: [], votes: [], signatures: [] };
    if (block && !half) this.#note(block);
    this.#endBlock(block ?? empty, this.#growth[0]?.time ?? this.head + second);
  }

  /** Writes half of the records of the current block. */
  #writeHalf(): void {
    if (this.#half || this.#growth.length === 0) return;
    const block = this.#growth.shift() as WorldBlock;
    this.#note(block);
    const half = <T>(items: readonly T[]) => items.filter((_, index) => index % 2 === 0);
    const rest = <T>(items: readonly T[]) => items.filter((_, index) => index % 2 === 1);
    const { changes, votes, signatures } = block;
    this.#network.addRecords({ balances: half(changes), votes: half(votes), signatures: half(signatures) });
    this.#half = { ...block, changes: rest(changes), votes: rest(votes), signatures: rest(signatures) };
  }

  #happen({ name, node, count }: WorldEvent): void {
    if (name === "block") for (let each = 0; each < count && this.#growth.length > 0; each++) this.#nextBlock();
    if (name === "half-block") this.#writeHalf();
    if (name === "drop") this.#drop(node, count);
    if (name === "lag" && this.world.nodes.length > 1) {
      this.#lags[node] = count;
      this.#network.nodes[node]?.configure({ lag: count });
    }
  }

  /** A node drops its oldest days. Real nodes keep the current one. */
  #drop(node: number, count: number): void {
    const kept = this.kept[node] ?? 0n;
    const days = [...new Set(this.changes.map(({ timestamp }) => startOfDay(BigInt(timestamp))))].filter(
      (each) => each + day > kept,
    );
    days.sort((a, b) => Number(a - b));
    const last = days[Math.min(count, days.length - 1) - 1];
    if (last === undefined || last + day > startOfDay(this.head - 60n * second)) return;
    this.kept[node] = last + day;
    this.#network.nodes[node]?.configure({ history: last + day });
  }

  #lowestHead(): bigint {
    return least(this.#network.nodes.map(({ block }) => block.timestamp));
  }

  async #fetch(request: Request): Promise<Response> {
    if (this.#isAbandoned) throw new TypeError("fetch failed: the world has ended");
    this.requests++;
    if (this.requests > 5000) this.#exhaust(new Error(`${neverEnds} within 5000 requests.`));
    const { events, nodes } = this.world;
    if (this.requests > this.calmAfter && !this.isCalm) this.calm();
    while (!this.isCalm && (events[this.#eventsDone]?.request ?? Number.POSITIVE_INFINITY) <= this.requests) {
      this.#happen(events[this.#eventsDone++] as WorldEvent);
    }
    const index = this.#nodeOf(request);
    const [node, fake] = [nodes[index], this.#network.nodes[index]];
    if (node === undefined || fake === undefined) throw new TypeError("fetch failed: no such node");
    const { latency, headers, stopped, fault } = this.isCalm ? { latency: 10, headers: "all" } : node;
    const isStopped = stopped && this.requests > stopped[0] && this.requests <= stopped[1];
    const isFaulty = fault && this.#choose.chance(fault.share);
    const isNameless = headers === "some" && this.#choose.chance(0.5);
    await this.#wait(latency / 2, request.signal);
    if (isStopped) throw new TypeError("fetch failed: the connection was refused");
    if (isFaulty && fault.name === "reset") throw new TypeError("fetch failed: the connection was reset");
    this.#busy++;
    let response: Response;
    let body: ArrayBuffer;
    try {
      response = await fake.fetch(clamped(request, this.isCalm ? undefined : node.clamp));
      // In one piece: a longer body would be read while the clock runs.
      body = await response.arrayBuffer();
    } finally {
      this.#busy--;
    }
    const lowest = this.#lowestHead();
    if (lowest < this.lowestHead) this.lowestHead = lowest;
    await this.#wait(latency / 2, request.signal);
    const shown = new Headers(response.headers);
    if (isNameless) for (const name of ["X-Block-Height", "X-Block-Timestamp"]) shown.delete(name);
    if (isFaulty) return faultOf(fault.name, body, shown);
    return new Response(body, { status: response.status, headers: shown });
  }

  #nodeOf(request: Request): number {
    const { origin } = new URL(request.url);
    const { nodes, balancing } = this.world;
    const named = this.#network.nodes.findIndex(({ url }) => url === origin);
    if (named >= 0) return named;
    if (balancing === "turns") return this.requests % nodes.length;
    if (balancing === "sticky") return Math.floor(this.requests / 7) % nodes.length;
    return this.#choose.integer(0, nodes.length - 1);
  }

  #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(milliseconds, resolve);
      const abort = () => {
        cancel();
        reject(signal.reason);
      };
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort);
    });
  }
}

const least = (times: readonly bigint[]) => times.reduce((a, b) => (b < a ? b : a));
const greatest = (times: readonly bigint[]) => times.reduce((a, b) => (b > a ? b : a));
const startOfDay = (time: bigint) => (time / day) * day;

/** A client's connection to one address on a manual clock, as `createClient` makes it for an address. */
function addressOn(url: string, clock: WorldClock, random: () => number): NodePool {
  return {
    ...createPool([url], {}, clock, random),
    [connect]: (options) => ({
      ...createRequester({ ...options, clock, random }),
      clock,
      nodeCount: 1,
      isPool: false,
      session: options.session,
    }),
  };
}

/** The request with a smaller page: the response is that of a node with fewer records on its pages. */
function clamped(request: Request, largest: number | undefined): Request {
  if (largest === undefined) return request;
  const url = new URL(request.url);
  for (const name of ["pagination.first", "pagination.last"]) {
    const size = url.searchParams.get(name);
    if (size !== null && Number(size) > largest) url.searchParams.set(name, String(largest));
  }
  return new Request(url, request);
}

function faultOf(name: FaultName, body: ArrayBuffer, headers: Headers): Response {
  const json = (text: string, status = 200) => new Response(text, { status, headers });
  switch (name) {
    case "empty-object":
      return json("{}");
    case "maintenance":
      return new Response('{"status":"maintenance"}', { headers: { "Content-Type": "application/json" } });
    case "html":
      return new Response("<!doctype html><h1>Bad gateway</h1>", { headers: { "Content-Type": "text/html" } });
    case "503":
      return json('{"code":14,"message":"Unavailable error","details":[]}', 503);
    case "400":
      return new Response("<h1>Bad request</h1>", { status: 400, headers: { "Content-Type": "text/html" } });
    default:
      return new Response(body.slice(0, body.byteLength / 2), { headers });
  }
}

/** A world in a few lines. */
export function describeWorld({ seed, access, balancing, nodes, blocks, growth, events, ...world }: World): string {
  const first = blocks[0]?.time ?? 0n;
  const last = blocks.at(-1)?.time ?? 0n;
  const changes = blocks.reduce((sum, block) => sum + block.changes.length, 0);
  const lines = [
    `seed ${seed}: ${access}${access === "address" && nodes.length > 1 ? ` (${balancing})` : ""}, ${blocks.length} blocks with ` +
      `${changes} balance changes over ${Number((last - first) / second) / 86_400} days, ${growth.length} blocks to come` +
      `${world.blockEvery > 0 ? `, each ${world.blockEvery} ms` : ""}${world.clockAhead > 0 ? ", clock far ahead" : ""}`,
    ...nodes.map((node, index) => `  node ${index}: ${JSON.stringify(node)}`),
    `  events: ${events.map(({ request, name, node, count }) => `${request}:${name}${name.endsWith("block") ? "" : ` ${node}`}*${count}`).join(", ")}`,
  ];
  return lines.join("\n");
}

/** Simpler worlds, each without one feature, with the name of that feature. */
export function simplerWorlds(world: World): [name: string, simpler: World][] {
  const { nodes, events } = world;
  const withNodes = (change: (node: WorldNode) => WorldNode) => ({ ...world, nodes: nodes.map(change) });
  const isSet = (find: (node: WorldNode) => unknown) => nodes.some(find);
  const without = (name: WorldEvent["name"]) => ({ ...world, events: events.filter((each) => each.name !== name) });
  const found: [string, World | false][] = [
    ["growth", world.growth.length > 0 && { ...world, growth: [], blockEvery: 0 }],
    ["growth by time", world.blockEvery > 0 && { ...world, blockEvery: 0 }],
    ["clock ahead", world.clockAhead > 0 && { ...world, clockAhead: 0 }],
    ["faults", isSet(({ fault }) => fault) && withNodes(({ fault: _, ...node }) => node)],
    ["stops", isSet(({ stopped }) => stopped) && withNodes(({ stopped: _, ...node }) => node)],
    ["clamped pages", isSet(({ clamp }) => clamp) && withNodes(({ clamp: _, ...node }) => node)],
    [
      "missing headers",
      isSet(({ headers }) => headers !== "all") && withNodes((node) => ({ ...node, headers: "all" })),
    ],
    ["latency", isSet(({ latency }) => latency > 10) && withNodes((node) => ({ ...node, latency: 10 }))],
    ["lag", isSet(({ lag }) => lag > 0) && withNodes((node) => ({ ...node, lag: 0 }))],
    [
      "pruned nodes",
      isSet(({ keepsDays }) => keepsDays !== undefined) && withNodes(({ keepsDays: _, ...node }) => node),
    ],
    ["v0.79", isSet(({ version }) => version === "v0.79") && withNodes((node) => ({ ...node, version: "v0.74" }))],
    ...(["drop", "lag", "half-block", "block"] as const).map((name): [string, World | false] => [
      `${name} events`,
      events.some((each) => each.name === name) && without(name),
    ]),
    ...nodes.map((_, index): [string, World | false] => [
      `node ${index}`,
      nodes.length > 1 && {
        ...world,
        nodes: nodes.filter((_, each) => each !== index),
        events: events
          .filter(({ node }) => node !== index)
          .map((each) => ({ ...each, node: each.node > index ? each.node - 1 : each.node })),
      },
    ]),
  ];
  return found.flatMap(([name, simpler]) => (simpler ? [[name, simpler]] : []));
}
