import {
  type BalanceChange,
  type Block,
  createClient,
  type NodeSignature,
  type ObserverEvent,
  type VegaClient,
} from "../../../src/index.js";
import { createPool } from "../../../src/pool/node-pool.js";
import {
  createFakeNetwork,
  createFakeNode,
  type FakeNetwork,
  type FakeNodeOptions,
  type FakeVote,
  nodeDefects,
} from "../../../src/testing/index.js";
import { mulberry32 } from "../../../src/testing/random.js";
import { maximum, minimum } from "../../../src/values/integers.js";
import { asOlder, inOtherZone } from "../node-variants.js";
import { addressOn, WorldClock } from "./clock.js";
import { clamped, faultOf, shortened } from "./faults.js";
import { Outside, type Reached } from "./reach.js";
import { between, oldestOf } from "./records.js";
import {
  Choices,
  day,
  firstDay,
  isHealthy,
  second,
  type World,
  type WorldBlock,
  type WorldEvent,
  type WorldNode,
} from "./world.js";

/** A vote as a block wrote it. */
interface WrittenVote {
  vote: FakeVote;
  time: bigint;
}

/** So many blocks that a node has none. */
const noBlock = 1_000_000;
const neverEnds = "The reading does not end";

/** The network of a world, and what a client does with it, on a clock of its own. */
export class RunningWorld {
  readonly world: World;
  readonly clock: WorldClock;
  /** Balance changes of all blocks that have ended or are shown. */
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
  /** Whether a vote was cast again since {@link begin}. */
  hasMovedVotes = false;
  /** After how many requests whatever is wrong with the nodes is no longer. */
  calmAfter = Number.POSITIVE_INFINITY;
  /** What happened, as it is seen from outside. */
  readonly reached = new Set<Reached>();
  /** Whether the reading also waits on the clock of the system. */
  hasOtherClock = false;
  readonly #network: FakeNetwork;
  readonly #choose: Choices;
  readonly #growth: WorldBlock[];
  readonly #outside = new Outside(this.reached);
  /** Those that have begun since the last fourteen. */
  readonly #blocks: Block[] = [];
  #isShown = false;
  #otherRequests = -1;
  /** How many queries have succeeded since the last failed one, on nodes whose queries can fail. */
  #queriesSince = 8;
  #busy = 0;
  #eventsDone = 0;
  #isRestarted = false;
  #isAbandoned = false;
  #exhaust: (reason: Error) => void = () => {};

  constructor(world: World) {
    const { nodes, blocks, growth, seed, clockAhead, clockWrong } = world;
    this.world = world;
    this.#choose = new Choices(seed ^ 0x5eed);
    this.#growth = [...growth];
    const head = blocks.at(-1)?.time ?? firstDay;
    this.kept = nodes.map(({ keeps }) => keeps);
    const start = Number(head / 1_000_000n) + clockAhead * 86_400_000;
    this.clock = new WorldClock({ start: start + clockWrong * 86_400_000 });
    const recent = blocks.slice(-14);
    const old = blocks.slice(0, -14);
    const options = nodes.map(
      ({ emptyUntil, version, headers, keeps, limit, ...node }): FakeNodeOptions => ({
        version,
        lag: emptyUntil === undefined ? lagOf(node) : noBlock,
        blockHeaders: headers !== "none",
        history: keeps,
        rateLimit: limit ?? false,
      }),
    );
    this.#network = createFakeNetwork(
      {
        nodes: options,
        seed,
        balances: old.flatMap(({ balances }) => balances),
        votes: old.flatMap(({ votes }) => votes),
        signatures: old.flatMap(({ signatures }) => signatures),
        block: { height: 1000n, timestamp: recent[0]?.time ?? head },
      },
      { defects: nodeDefects, now: () => start + this.clock.now() },
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
    const { access, pacing, seed } = this.world;
    const random = mulberry32(seed);
    const baseUrl =
      access === "pool" ? createPool(urls, {}, this.clock, random) : addressOn(this.#network.url, this.clock, random);
    const observe = (event: ObserverEvent) => this.#outside.observe(event);
    const fetch = (request: Request) => this.#outside.watch(request, (each) => this.#fetch(each));
    return createClient({ baseUrl, fetch, observe, pacing, timeout: 5000 });
  }

  /** A client of one healthy node with the whole chain, or with some records of it. */
  healthyClient(balances: readonly BalanceChange[] = this.changes): VegaClient {
    const data = { balances, block: this.#network.block };
    const { fetch } = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
    const baseUrl = addressOn("https://node.example", this.clock, mulberry32(1));
    return createClient({ baseUrl, fetch, pacing: false });
  }

  /** The current block of the chain: earlier ones have ended. */
  get head(): bigint {
    return this.#network.block.timestamp;
  }

  /** Begins another reading, or continues one. */
  begin(): void {
    this.lowestHead = this.#lowestHead();
    // Requests of other clients also advance a real balancer.
    this.#otherRequests++;
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
    for (const node of this.#network.nodes) node.configure({ lag: 0, blockHeaders: true, rateLimit: false });
    while (this.#isShown || this.head <= until) this.#nextBlock();
  }

  /** The time of the oldest balance change that a reading with an open start must have, whichever node responds. */
  oldestWanted(isWanted: (change: BalanceChange) => boolean): bigint | undefined {
    const healthy = this.healthyNodes.map((index) => this.kept[index] ?? 0n);
    // A pool asks the node that keeps the most.
    const isServed = this.world.access === "pool" && healthy.length > 0;
    // Behind one address, the end can be that of a node which has nothing yet.
    if (!isServed && this.world.nodes.some(({ emptyUntil }) => emptyUntil !== undefined)) return undefined;
    const start = isServed ? healthy.reduce(minimum) : this.kept.reduce(maximum);
    return oldestOf(this.changes.filter(isWanted).filter(between({ start })));
  }

  /** Whether it shows that a node has all balance changes from a time on: it keeps one of that time or of an earlier one. */
  showsHistory(node: number, time: bigint): boolean {
    return this.changes.some(between({ start: this.kept[node], end: time + 1n }));
  }

  /** Whether no node keeps any record. */
  get keepsNothing(): boolean {
    return this.world.nodes.every(
      (_, index) => oldestOf(this.changes.filter(between({ start: this.kept[index] }))) === undefined,
    );
  }

  /** Whether any node still has the records of a time. */
  keeps(time: bigint): boolean {
    return this.kept.some((kept) => kept <= time);
  }

  /** Which nodes are there throughout a reading, and keep up. */
  get healthyNodes(): readonly number[] {
    return this.world.nodes.flatMap((node, index) => (isHealthy(node) ? [index] : []));
  }

  #note({ time, balances, votes, signatures }: WorldBlock): void {
    this.changes.push(...balances);
    const isAgain = ({ partyId, proposalId }: FakeVote) =>
      this.votes.some(({ vote }) => vote.partyId === partyId && vote.proposalId === proposalId);
    this.hasMovedVotes ||= this.requests > 0 && votes.some(isAgain);
    this.votes.push(...votes.map((vote) => ({ vote, time })));
    this.signatures.push(...signatures.map((signature) => ({ ...signature, time })));
  }

  #endBlock({ time: _, ...records }: WorldBlock, next: bigint): void {
    // A chain begins at height 1: 0 is that of a node without a block.
    const height = this.#isRestarted ? 1n : this.#network.block.height + 1n;
    if (this.#isRestarted) this.reached.add("heights begin anew");
    this.#isRestarted = false;
    this.#blocks.push(this.#network.block);
    this.#network.nextBlock({ ...records, block: { height, timestamp: next } });
  }

  /** Ends the current block, whose records may be shown already. */
  #nextBlock(): void {
    const block = this.#isShown ? undefined : this.#growth.shift();
    if (block) this.#note(block);
    this.#isShown = false;
    const empty = { time: 0n, balances: [], votes: [], signatures: [] };
    this.#endBlock(block ?? empty, this.#growth[0]?.time ?? this.head + second);
  }

  /** Shows the records of the current block while nodes still name it. A block is written at once. */
  #showBlock(): void {
    const block = this.#isShown ? undefined : this.#growth.shift();
    if (block === undefined) return;
    this.#note(block);
    const { time: _, ...records } = block;
    this.#network.addRecords(records);
    this.#isShown = true;
  }

  #happen({ name, node, count }: WorldEvent): void {
    if (name === "block") for (let each = 0; each < count && this.#growth.length > 0; each++) this.#nextBlock();
    if (name === "show-block") this.#showBlock();
    if (name === "drop" || name === "drop-day") this.#drop(node, count, name === "drop-day" ? day : 1n);
    if (name === "lag" && this.world.nodes.length > 1)
      this.#network.nodes[node]?.configure({ lag: Math.max(count, Number(this.#showsMore(node))) });
    if (name === "restart") {
      this.#isRestarted = true;
      for (const each of this.#network.nodes) each.configure({ chainId: "vega-fake-0012" });
      this.#nextBlock();
    }
  }

  /** A node drops all that is older than one of the next times, or days, at which there are records. */
  #drop(node: number, count: number, unit: bigint): void {
    const kept = this.kept[node] ?? 0n;
    const starts = this.changes
      .map(({ timestamp }) => (BigInt(timestamp) / unit) * unit)
      .filter((start) => start >= kept);
    const last = [...new Set(starts)].sort((a, b) => Number(a - b))[count - 1];
    if (last === undefined || last + unit > this.head) return;
    this.kept[node] = last + unit;
    this.#network.nodes[node]?.configure({ history: last + unit });
    this.reached.add("history is dropped meanwhile");
  }

  /** The earliest block of the nodes that have one. */
  #lowestHead(): bigint {
    const heads = this.#network.nodes.map(({ block: { timestamp } }, index) =>
      this.#showsMore(index) ? (this.#before(timestamp)?.timestamp ?? 0n) : timestamp,
    );
    return heads.filter((time) => time > 0n).reduce(minimum, this.head);
  }

  async #fetch(request: Request): Promise<Response> {
    if (this.#isAbandoned) throw new TypeError("fetch failed: the world has ended");
    this.requests++;
    if (this.requests > 30_000) this.#exhaust(new Error(`${neverEnds} within 30000 requests.`));
    const { events, nodes } = this.world;
    if (this.requests > this.calmAfter && !this.isCalm) this.calm();
    while (!this.isCalm && (events[this.#eventsDone]?.request ?? Number.POSITIVE_INFINITY) <= this.requests) {
      this.#happen(events[this.#eventsDone++] as WorldEvent);
    }
    const index = this.#nodeOf(request);
    const [node, fake] = [nodes[index], this.#network.nodes[index]];
    if (node === undefined || fake === undefined) throw new TypeError("fetch failed: no such node");
    if (this.requests > (node.emptyUntil ?? Number.POSITIVE_INFINITY) && fake.block.timestamp === 0n)
      fake.configure({ lag: lagOf(node) });
    const {
      latency: shortest = 10,
      jitter,
      headers = "all",
      stopped,
      fault,
    }: Partial<WorldNode> = this.isCalm ? {} : node;
    // A healthy node responds within the timeout of the client.
    const latency = jitter ? Math.min(2000, (shortest * this.#choose.integer(10, 10 + 10 * jitter)) / 10) : shortest;
    const isStopped = stopped && this.requests > stopped[0] && this.requests <= stopped[1];
    const isFaulty = fault && this.#choose.chance(fault.share);
    const isNameless = headers === "some" && this.#choose.chance(0.5);
    await this.clock.sleep(latency / 2, request.signal);
    if (isStopped) throw new TypeError("fetch failed: the connection was refused");
    if (isFaulty && fault.name === "hang") await this.clock.sleep(3_600_000, request.signal);
    if (isFaulty && fault.name === "reset") throw new TypeError("fetch failed: the connection was reset");
    this.#busy++;
    let response: Response;
    let body: ArrayBuffer;
    try {
      const fetch = node.isOlder ? asOlder(fake.fetch) : fake.fetch;
      const clampedRequest = clamped(request, this.isCalm ? undefined : node.clamp);
      response = await (node.isEast ? inOtherZone(fetch) : fetch)(clampedRequest);
      // In one piece: a longer body would be read while the clock runs.
      body = await response.arrayBuffer();
      if (this.#isQueryFailing(node, request, response)) body = shortened(body, this.#choose.one([0, 0.3, 0.6, 0.9]));
    } finally {
      this.#busy--;
    }
    this.lowestHead = minimum(this.lowestHead, this.#lowestHead());
    await this.clock.sleep(latency / 2, request.signal);
    const shown = new Headers(response.headers);
    const block = this.#showsMore(index) && this.#before(BigInt(shown.get("X-Block-Timestamp") ?? 0));
    if (block) {
      shown.set("X-Block-Height", String(block.height));
      shown.set("X-Block-Timestamp", String(block.timestamp));
      this.reached.add("a node shows the block that it names");
    }
    if (isNameless) for (const name of ["X-Block-Height", "X-Block-Timestamp"]) shown.delete(name);
    if (isFaulty) return faultOf(fault.name, body, shown);
    return new Response(body, { status: response.status, headers: shown });
  }

  /** Whether the query of a page fails. Backward, the last records that a node reads are the first ones of its page. */
  #isQueryFailing({ failedQueries }: WorldNode, request: Request, { ok }: Response): boolean {
    const { pathname, searchParams } = new URL(request.url);
    const isBackward = ["last", "before"].some((name) => searchParams.has(`pagination.${name}`));
    if (failedQueries === undefined || this.isCalm || !ok || isBackward || !pathname.endsWith("/balance/changes"))
      return false;
    // Requests to other nodes do not count: one that fails twice in the same place shows nothing of what follows.
    if (++this.#queriesSince <= 8 || !this.#choose.chance(failedQueries)) return false;
    this.#queriesSince = 0;
    this.reached.add("a query fails");
    return true;
  }

  /** The block before one that a fake node names. A node that shows the records of the block that it names is a fake node a block later. */
  #before(timestamp: bigint): Block | undefined {
    return this.#blocks.filter((block) => block.timestamp < timestamp).at(-1);
  }

  #showsMore(index: number): boolean {
    return !this.isCalm && this.world.nodes[index]?.shows === true;
  }

  #nodeOf(request: Request): number {
    const { origin } = new URL(request.url);
    const { nodes, balancing } = this.world;
    const named = this.#network.nodes.findIndex(({ url }) => url === origin);
    if (named >= 0) return named;
    if (balancing === "turns") return (this.requests + this.#otherRequests) % nodes.length;
    if (balancing === "sticky") return Math.floor(this.requests / 7) % nodes.length;
    return this.#choose.integer(0, nodes.length - 1);
  }
}

/** How far its fake node is behind. */
const lagOf = ({ lag, shows }: Pick<WorldNode, "lag" | "shows">) => lag - Number(shows ?? false);
