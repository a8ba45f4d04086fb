import { createClient, type VegaClient, VegaError } from "../../../src/index.js";
import { createPool } from "../../../src/pool/node-pool.js";
import { mulberry32 } from "../../../src/testing/random.js";
import type { Reply } from "../../../src/testing/wire.js";
import { addressOn, WorldClock } from "../worlds/clock.js";
import type { Target } from "../worlds/read-list.js";
import { type EventName, type Model, modelOf, type SmallNode, type SmallWorld, timeAt, type View } from "./world.js";

/** Why a run does not go on. */
export class Ended extends Error {
  readonly reason: "endless" | "known";
  constructor(reason: Ended["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Which option is taken at each choice of a run: those that are given, then the first one, which is that nothing unusual happens. */
export class Script {
  /** The number of the option that was taken at each choice, and of those that were affordable. */
  readonly choices: { taken: number; of: number }[];
  /** How many unusual things can still happen, and how many have happened. */
  budget: number;
  spent = 0;
  readonly #given: number;
  #next = 0;

  constructor(taken: readonly { taken: number; of: number }[], budget: number) {
    this.choices = [...taken];
    this.#given = taken.length;
    this.budget = budget;
  }

  get isReplay(): boolean {
    return this.#next < this.#given;
  }

  /** @param costs - How many unusual things each option is; the first one is none. In ascending order. */
  choose(costs: readonly number[]): number {
    const of = costs.filter((cost) => cost <= this.budget).length;
    if (of <= 1) return 0;
    const choice = this.choices[this.#next++];
    if (choice === undefined) {
      this.choices.push({ taken: 0, of });
      return 0;
    }
    if (choice.of !== of) throw new Error(`A run differs from the one before: ${of} options instead of ${choice.of}.`);
    const cost = costs[choice.taken] ?? 0;
    this.budget -= cost;
    this.spent += cost;
    return choice.taken;
  }
}

/** What has happened at a request. */
export interface Step {
  url: URL;
  node: number;
  event: string | undefined;
  reply: Reply & { readonly id: number };
  time: number;
}

interface State {
  head: number;
  nodes: readonly SmallNode[];
}

interface Option {
  state: State;
  node: number;
  event: string | undefined;
  reply: Step["reply"];
  cost: number;
}

/** Requests and virtual time within which a reading ends. */
const [mostRequests, longestTime] = [500, 3_600_000];

/** The network of a small world while one client reads it. */
export class RunningSmallWorld implements Target {
  readonly world: SmallWorld;
  readonly clock: WorldClock;
  readonly steps: Step[] = [];
  readonly client: VegaClient;
  /** Whether nothing unusual happens any more. */
  #isCalm = false;
  #errors = 0;
  readonly #model: Model;
  readonly #script: Script;
  readonly #visited: Map<string, number> | undefined;
  readonly #histories: Map<string, number>;
  #state: State;
  /** The node that responded last. */
  #last = 0;
  /** The number of the requests and responses so far. */
  #history = 0;
  #end: (reason: Ended) => void = () => {};

  /**
   * @param visited - What was explored before: a run that gets there with no larger budget ends.
   * @param histories - A number for each sequence of requests and responses.
   */
  constructor(world: SmallWorld, script: Script, visited?: Map<string, number>, histories = new Map<string, number>()) {
    this.world = world;
    this.#model = modelOf(world);
    this.#script = script;
    this.#visited = visited;
    this.#histories = histories;
    this.#state = { head: world.head, nodes: world.nodes };
    this.clock = new WorldClock({ start: Number(timeAt(world, world.head) / 1_000_000n) });
    const { nodes, access } = world;
    const random = mulberry32(1);
    const address = "https://network.example";
    const urls = nodes.map((_, index) => `https://node-${index}.example`);
    const baseUrl =
      access === "pool" ? createPool(urls, {}, this.clock, random) : addressOn(address, this.clock, random);
    this.client = createClient({ baseUrl, fetch: this.#fetch, pacing: false });
  }

  sizeOf({ size }: { size: number }): number {
    return this.#isCalm ? 5000 : size;
  }

  /** After some errors nothing unusual happens any more, and after some more a reading has to have ended. */
  continues(): boolean {
    this.#errors++;
    if (this.#errors >= 2) this.#calm();
    return this.#errors < 5;
  }

  /** Takes everything that comes. It rejects with {@link Ended} if that takes too long, or if the rest is known. */
  async take<T>(items: AsyncIterable<T>, onItem: (item: T) => void): Promise<VegaError | undefined> {
    const takeAll = async () => {
      for await (const item of items) onItem(item);
    };
    try {
      await this.#run(takeAll());
      return undefined;
    } catch (error) {
      if (VegaError.is(error)) return error;
      throw error;
    }
  }

  async #run<T>(promise: Promise<T>): Promise<T> {
    let cancel = () => {};
    const ended = new Promise<never>((_, reject) => {
      this.#end = reject;
      cancel = this.clock.after(longestTime, () => reject(new Ended("endless", "It does not end within an hour.")));
    });
    // What the client does between two requests can take some turns of the event loop, and more while it loads the code of lists.
    let [sent, turns] = [0, 0];
    const isBusy = () => {
      if (sent !== this.steps.length) [sent, turns] = [this.steps.length, 0];
      return turns++ < (sent === 0 ? 1000 : 12);
    };
    try {
      return await this.clock.run(Promise.race([promise, ended]), isBusy);
    } finally {
      cancel();
    }
  }

  /** From now on, all nodes are up to date, and the one that keeps the most responds. What was dropped stays away. */
  #calm(): void {
    this.#isCalm = true;
    const head = Math.max(this.#state.head, this.world.blocks.length);
    const calmed = ({ from, isEmpty }: SmallNode): SmallNode => ({ from: isEmpty ? head : from, lag: 0 });
    const nodes = this.#state.nodes.map(calmed);
    this.#state = { head, nodes };
    this.#last = nodes.reduce((best, { from }, index) => (from < (nodes[best]?.from ?? 0) ? index : best), 0);
  }

  /** Whether every node keeps everything from the first block on. */
  get keepsAll(): boolean {
    return this.#state.nodes.every(({ from, isEmpty = false }) => from === 0 && !isEmpty);
  }

  /** Whether no node keeps any balance change. */
  get keepsNothing(): boolean {
    const { balances } = this.#model.truth;
    return this.#state.nodes.every(({ from, isEmpty }) => isEmpty || balances.every(({ block }) => block < from));
  }

  /** Whether nothing unusual has happened, and a node that has everything has responded. */
  get isUsual(): boolean {
    const isWhole = ({ from, lag, isEmpty = false, isNameless = false }: SmallNode) =>
      from === 0 && lag === 0 && !isEmpty && !isNameless;
    const { access, nodes } = this.world;
    const asked = access === "pool" ? nodes : nodes.slice(0, 1);
    return this.#script.spent === 0 && asked.some(isWhole) && asked.every(({ isNameless = false }) => !isNameless);
  }

  readonly #fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    if (this.steps.length >= mostRequests) {
      return this.#stop(new Ended("endless", `It does not end within ${mostRequests} requests.`));
    }
    if (!this.#script.isReplay && this.#visited) {
      const key = `${this.#history} ${url} ${JSON.stringify(this.#state)}`;
      if ((this.#visited.get(key) ?? -1) >= this.#script.budget) return this.#stop(new Ended("known", ""));
      this.#visited.set(key, this.#script.budget);
    }
    const options = this.#options(url);
    const { state, node, event, reply } = options[this.#script.choose(options.map(({ cost }) => cost))] as Option;
    this.#state = state;
    if (this.world.access === "address") this.#last = node;
    const time = this.clock.now();
    const key = `${this.#history} ${url} ${reply.id} ${time}`;
    this.#history = this.#histories.get(key) ?? this.#histories.size + 1;
    this.#histories.set(key, this.#history);
    this.steps.push({ url, node, event, reply, time });
    return new Response(reply.body, { status: reply.status, headers: reply.headers });
  };

  #stop(reason: Ended): Promise<never> {
    this.#end(reason);
    return new Promise(() => {});
  }

  /** What can happen before a request, and which node can respond then, without options that nobody can tell apart. */
  #options(url: URL): Option[] {
    const isPolling = this.#isPolling(url);
    // While a client waits, blocks come.
    const usual = isPolling && !this.world.isStill ? this.#nextBlock : { state: this.#state, event: undefined };
    const isQuiet = this.#isCalm || this.#script.budget === 0 || isPolling;
    const moments = isQuiet ? [usual] : [usual, ...this.#events()];
    const named = /^node-(\d)\.example$/.exec(url.host)?.[1];
    const known = new Set<string>();
    const options: Option[] = [];
    for (const { state, event } of moments) {
      const order = named === undefined ? [this.#last, ...state.nodes.keys()] : [Number(named)];
      for (const node of isQuiet ? order.slice(0, 1) : order) {
        const reply = this.#model.reply(viewOf(state, node, this.world), url);
        const key = `${reply.id} ${JSON.stringify(state)}`;
        if (known.has(key)) continue;
        known.add(key);
        const cost = Number(state !== usual.state) + Number(node !== order[0]);
        options.push({ state, event, node, reply, cost });
      }
    }
    return options.sort((a, b) => a.cost - b.cost);
  }

  /** Whether this request had one response several times of late: what happens now could have happened before. */
  #isPolling({ href }: URL): boolean {
    const same = this.steps.slice(-8).filter(({ url }) => url.href === href);
    return same.length >= 3 && same.every(({ reply }) => reply.id === same[0]?.reply.id);
  }

  get #nextBlock(): { state: State; event: string } {
    const { head, nodes } = this.#state;
    const next = nodes.map((node) => ({ ...node, shows: false }));
    return { state: { head: head + 1, nodes: next }, event: `block ${head} ends` };
  }

  #events(): { state: State; event: string }[] {
    const { events, blocks } = this.world;
    const { head, nodes } = this.#state;
    const happens = (name: EventName) => events.includes(name);
    const found: { state: State; event: string }[] = [];
    const change = (index: number, node: SmallNode, event: string) =>
      found.push({ state: { head, nodes: replaced(nodes, index, node) }, event: `node ${index} ${event}` });
    if (happens("block") && head < blocks.length) found.push(this.#nextBlock);
    for (const [index, node] of nodes.entries()) {
      const { from, lag, shows = false, isEmpty = false } = node;
      if (isEmpty) {
        if (happens("fill")) change(index, { ...node, isEmpty: false, lag: 0, from: Math.max(0, head - 1) }, "starts");
        continue;
      }
      if (happens("shows") && !shows && head - lag < blocks.length && head - lag >= 0)
        change(index, { ...node, shows: true }, "commits the records of its block");
      if (happens("drop") && from < blocks.length) change(index, { ...node, from: from + 1 }, `drops block ${from}`);
      if (happens("lag") && nodes.length > 1) {
        // A node keeps the records that it has shown of a block.
        if (lag === 0) change(index, { ...node, lag: 1 }, "falls a block behind");
        else change(index, { ...node, lag: 0 }, "catches up");
      }
    }
    return found;
  }
}

const replaced = <T>(items: readonly T[], index: number, item: T): T[] =>
  items.map((each, place) => (place === index ? item : each));

function viewOf({ head, nodes }: State, index: number, { blocks }: SmallWorld): View {
  const { from, lag, shows = false, isEmpty = false, isNameless = false } = nodes[index] as SmallNode;
  if (isEmpty) return { head: -1, has: 0, from: 0, node: index, isNameless };
  const own = Math.max(0, head - lag);
  return { head: own, has: Math.min(own + Number(shows), blocks.length), from, node: index, isNameless };
}
