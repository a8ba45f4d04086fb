import type { OperationId } from "../arguments/operation.js";
import type { Block } from "../http/call.js";
import { nanosecondsPerDay } from "../values/times.js";
import { Chain, ChainView } from "./chain.js";
import { TransactionCheck } from "./check.js";
import type { FakeNodeData } from "./data.js";
import { planFaults, respond } from "./faults.js";
import { type DataNode, findRoute, preflightReply, reply, withCors } from "./gateway.js";
import { withoutUndefined } from "./generator.js";
import { type CreateOptions, checkCreateOptions, checkNodeOptions, type FakeNodeOptions } from "./options.js";
import { defaultRateLimit, RateLimiter } from "./rate-limiter.js";
import type { Records, Store } from "./store.js";
import { versionRules } from "./versions.js";
import { type Microseconds, toMicroseconds } from "./wire.js";

/** A request that was sent to a node. */
type ReceivedRequest = {
  /** The operation of the request; `undefined` for another path. */
  operation: OperationId | undefined;
  method: string;
  url: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The text of the body; empty if there is none. */
  body: string;
};

/** A node in memory. */
export interface FakeNode {
  /** Responds to a request as a node does: pass it to `createClient`, or serve it. The host of an address does not matter. */
  readonly fetch: (input: Request | URL | string, init?: ConstructorParameters<typeof Request>[1]) => Promise<Response>;
  /** The requests that were sent to the node, also those that failed because it was down. The array can be emptied at any time. */
  readonly requests: ReceivedRequest[];
  /** What it holds, as responses show it: records by list, and spam statistics by party. */
  readonly records: Records;
  /** The current block. */
  readonly block: Readonly<Block>;
  /**
   * Ends the current block, with further records in it, and begins the next one, one second after the newest record or as
   * `data.block` says. Generated records have the time of the block that ends. Given ones have that time or a later one: what is
   * older is final. Transactions that were checked in the block that ends can be checked again.
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  nextBlock(data?: Omit<FakeNodeData, "seed" | "party">): void;
  /**
   * Adds records at the time of the current block, without ending it: the block in the headers is half-written. Clients must not
   * rely on its records (observed on v0.74 nodes: records at the time of the header can be missing).
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  addRecords(data: Omit<FakeNodeData, "seed" | "party" | "block">): void;
  /** Ends no further blocks, if the option `blockEvery` was given. */
  pause(): void;
  /**
   * Changes how the node behaves from now on; what is left out stays. Requests are counted anew for faults that are given.
   *
   * @throws `ArgumentError` if an option is invalid.
   */
  configure(options: FakeNodeOptions): void;
}

/**
 * Creates a node in memory for tests: the operations of the description with the paging, the limits, the headers and the errors of a v0.74
 * node behind a standard `fetch`. It needs no network and no server, and runs in every runtime.
 *
 * @throws `ArgumentError` if data or options are invalid.
 * @example
 * ```ts
 * const node = createFakeNode({ votes: 250 });
 * const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
 * const votes = await client.listVotes({ proposalId: node.records.votes[0]!.proposalId }).toArray();
 * ```
 */
export function createFakeNode(data: FakeNodeData = {}, options: CreateOptions = {}): FakeNode {
  checkCreateOptions(options, "createFakeNode");
  const { blockEvery, after, ...behavior } = options;
  const chain = new Chain(data, blockEvery, after);
  return new SimulatedNode(chain, behavior);
}

/** A node that follows a chain and responds to requests. */
export class SimulatedNode implements FakeNode {
  readonly requests: ReceivedRequest[] = [];
  readonly nextBlock: FakeNode["nextBlock"];
  readonly addRecords: FakeNode["addRecords"];
  readonly pause: FakeNode["pause"];
  readonly #chain: Chain;
  readonly #view: ChainView;
  readonly #transactions = new TransactionCheck();
  readonly #name: string | undefined;
  #options: FakeNodeOptions = {};
  #nextFaults = planFaults([]);
  #limiter: RateLimiter | undefined;
  /** Aborts when the node goes down. */
  #running = new AbortController();

  /** @param name - Distinguishes the nodes of a chain: the order of the votes of one block differs between them. */
  constructor(chain: Chain, options: FakeNodeOptions, name?: string) {
    this.#chain = chain;
    this.nextBlock = chain.nextBlock;
    this.addRecords = chain.addRecords;
    this.pause = chain.pause;
    this.#view = new ChainView(chain);
    this.#name = name;
    this.configure({ ...options, rateLimit: options.rateLimit ?? {} });
  }

  get records(): Records {
    return this.#store.recordsOf(this.#version);
  }

  get #store(): Store {
    return this.#view.store(this.#options.lag ?? 0);
  }

  get #version() {
    return versionRules[this.#options.version ?? "v0.74"];
  }

  get block(): Block {
    return this.#chain.blockBefore(this.#options.lag ?? 0);
  }

  readonly configure: FakeNode["configure"] = (options) => {
    checkNodeOptions(options);
    const { rateLimit, now, faults, down } = options;
    const wasDown = this.#options.down === true;
    this.#options = { ...this.#options, ...withoutUndefined(options) };
    if (faults !== undefined) this.#nextFaults = planFaults(faults);
    const isRestarted = wasDown && down === false;
    if (down === true) this.#running.abort(new TypeError("fetch failed: the connection was reset"));
    if (isRestarted) this.#running = new AbortController();
    if (rateLimit !== undefined || now !== undefined || isRestarted) {
      const limit = this.#options.rateLimit;
      const clock = this.#options.now ?? (() => performance.now());
      this.#limiter = limit === false ? undefined : new RateLimiter({ ...defaultRateLimit, ...limit }, clock);
    }
  };

  /** The oldest time that the node keeps. Nodes drop the rows of whole days (UTC). */
  get #history(): Microseconds {
    const { history } = this.#options;
    return history === undefined ? Number.NEGATIVE_INFINITY : toMicroseconds(history - (history % nanosecondsPerDay));
  }

  readonly fetch: FakeNode["fetch"] = async (input, init) => {
    const request = new Request(input, init);
    const { method, headers, signal } = request;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const path = decodePath(pathname);
    const operation = path === undefined ? undefined : findRoute(method, path)?.id;
    // `text` would drop a byte order mark, which a node rejects.
    const body = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await request.arrayBuffer());
    this.requests.push({ operation, method, url: request.url, headers: Object.fromEntries(headers), body });
    if (this.#options.down) throw new TypeError("fetch failed: the connection was refused");
    const faults = this.#nextFaults(operation);
    const replied = preflightReply(request) ?? reply(path, { method, search, body }, this.#dataNode());
    // The HTTP server in front of the gateway rejects a path that cannot be decoded.
    const response = path === undefined || replied.status === 204 ? replied : withCors(replied, headers);
    return respond(response, faults, AbortSignal.any([signal, this.#running.signal]));
  };

  #dataNode(): DataNode {
    const { height, timestamp } = this.block;
    const { blockHeaders = true, defects = [], chainId = "vega-fake-0011" } = this.#options;
    const { checkCode = () => 0, date = Date.now } = this.#options;
    return {
      limit: () => this.#limiter?.decide() ?? { outcome: "served", headers: {} },
      blockHeaders: blockHeaders ? { "X-Block-Height": `${height}`, "X-Block-Timestamp": `${timestamp}` } : {},
      store: this.#store,
      version: this.#version,
      date,
      transactions: this.#transactions,
      history: this.#history,
      chainId,
      checkCode,
      height,
      defects,
      tieSeed: this.#name && `${this.#chain.seed}/${this.#name}`,
    };
  }
}

/** A path without its escapes; `undefined` if it cannot be decoded. */
function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
