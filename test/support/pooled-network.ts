import { type ClientOptions, createClient, type ObserverEvent } from "../../src/index.js";
import type { NodePoolOptions } from "../../src/pool/index.js";
import { createPool } from "../../src/pool/node-pool.js";
import type { FakeNetworkData, FakeNodeOptions } from "../../src/testing/index.js";
import { createFakeNetwork, createFakeNode } from "../../src/testing/index.js";
import { mulberry32 } from "../../src/testing/random.js";
import { ManualClock } from "./manual-clock.js";

const lists = { balances: [], votes: [], signatures: [], profiles: [] };
/** A node that was just started. */
const started = createFakeNode({ ...lists, block: { height: 0n, timestamp: 0n } }, { rateLimit: false });

export interface PooledNetworkOptions {
  data?: FakeNetworkData;
  /** The options of all nodes. */
  node?: FakeNodeOptions;
  pool?: NodePoolOptions;
  client?: Partial<ClientOptions>;
  /** How long each node takes to respond, in milliseconds; `Infinity` for a node that never does. */
  latency?: number[];
  random?: () => number;
  /** Called before each request, with the number of the node and of the request. */
  onRequest?: (node: number, request: number) => void;
}

/** A fake network and a client of a pool of its nodes, on one manual clock. */
export class PooledNetwork {
  readonly clock = new ManualClock();
  readonly network;
  readonly pool;
  readonly client;
  readonly urls: string[];
  readonly events: ObserverEvent[] = [];
  /** The numbers of the nodes that got requests, in order. */
  readonly asked: number[] = [];
  latency: number[];
  /** Whether responses come without block headers. */
  withoutBlocks = false;
  /** The numbers of the nodes that have no block yet. */
  readonly starting = new Set<number>();
  /** How many requests have not ended. */
  open = 0;
  readonly #onRequest: PooledNetworkOptions["onRequest"];
  #busy = 0;

  constructor(options: PooledNetworkOptions = {}) {
    const { data, node, pool = {}, client, latency = [], random = mulberry32(1) } = options;
    const records = { votes: 100, balances: 100, signatures: 100, ...data };
    this.network = createFakeNetwork(records, { rateLimit: false, now: () => this.clock.now(), ...node });
    this.urls = this.network.nodes.map(({ url }) => url);
    this.latency = this.urls.map((_, index) => latency[index] ?? 10);
    this.#onRequest = options.onRequest;
    this.pool = createPool(this.urls, pool, this.clock, random);
    this.client = createClient({
      baseUrl: this.pool,
      observe: (event) => this.events.push(event),
      fetch: (request) => this.send(request),
      ...client,
    });
  }

  /** Sends a request to the network. */
  async send(request: Request): Promise<Response> {
    const number = this.urls.findIndex((url) => request.url.startsWith(url));
    this.asked.push(number);
    this.#onRequest?.(number, this.asked.length);
    this.open++;
    await this.clock.sleep(this.latency[number] ?? 0, request.signal).finally(() => this.open--);
    this.#busy++;
    try {
      const response = await (this.starting.has(number) ? started : this.network).fetch(request);
      response.headers.set("x-node", String(number));
      if (this.withoutBlocks) response.headers.delete("x-block-height");
      // In one piece: a longer body would be read while the clock runs.
      return new Response(await response.arrayBuffer(), response);
    } finally {
      this.#busy--;
    }
  }

  /** Runs the clock until a promise is settled. */
  run<T>(promise: Promise<T>): Promise<T> {
    return this.clock.run(promise, () => this.#busy > 0);
  }

  /** Lets time pass. */
  sleep(milliseconds: number): Promise<void> {
    return this.run(this.clock.sleep(milliseconds));
  }

  /** A read without arguments that matter. */
  read(options: { node?: string } = {}) {
    return this.run(this.client.getSpamStatistics({ partyId: "ab".repeat(32) }, options).withResponse());
  }

  /** The number of the node that sent a response. */
  nodeOf(response: Response): number {
    return Number(response.headers.get("x-node"));
  }

  /** Ends some blocks that have no records. */
  advance(blocks: number): void {
    for (let block = 0; block < blocks; block++) this.network.nextBlock();
  }
}
