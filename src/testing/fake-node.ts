import { Chain } from "./chain.js";
import { preflightReply, withCors } from "./cors.js";
import type { FakeBlock, FakeNodeData } from "./data.js";
import { FaultPlan, type RequestFaults } from "./faults.js";
import { badRequest, type DataNode, decodePath, reply } from "./gateway.js";
import type { OperationId } from "./operations.js";
import { checkNodeOptions, type FakeNodeOptions } from "./options.js";
import { defaultRateLimit, RateLimiter } from "./rate-limiter.js";
import { findRoute } from "./routes.js";
import type { Records } from "./store.js";
import { respond } from "./transport.js";

/** A request that came in. */
export interface ReceivedRequest {
  /** The operation of the request; `undefined` for another path. */
  operation: OperationId | undefined;
  method: string;
  url: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The text of the body; empty if there is none. */
  body: string;
}

/** A node in memory. */
export interface FakeNode {
  /**
   * Responds to a request as a node does: pass it to `createClient`, or serve it. The host of an address does not matter.
   */
  readonly fetch: (input: Request | URL | string, init?: ConstructorParameters<typeof Request>[1]) => Promise<Response>;
  /** The requests that came in, in their order. The array can be emptied at any time. */
  readonly requests: ReceivedRequest[];
  /** What the node holds. */
  readonly records: Records;
  /** The block that has begun. */
  readonly block: Readonly<FakeBlock>;
  /**
   * Ends the block that has begun, with further records in it, and begins the next one.
   *
   * Generated records have the time of the block that ends. Given ones have that time or a later one: what is older is final.
   * All of them are there when the block has ended, as on a real node, where the rows of a block appear at once. The next block
   * begins one second after the newest record, or as `data.block` says. Transactions that were checked in the block that ends
   * can be checked again.
   *
   * @throws `ArgumentError` if the data makes no sense.
   */
  nextBlock(data?: Omit<FakeNodeData, "seed">): void;
  /**
   * Changes how the node behaves from now on; what is left out stays. Requests are counted anew for faults that are given.
   *
   * @throws `ArgumentError` if an option makes no sense.
   */
  configure(options: FakeNodeOptions): void;
}

/**
 * Creates a node in memory for tests: the operations of the description with the paging, the limits, the headers and the errors of a v0.74
 * node behind a standard `fetch`. It needs no network and no server, and runs in every runtime.
 *
 * @throws `ArgumentError` if data or options make no sense.
 * @example
 * ```ts
 * const node = createFakeNode({ votes: 250 });
 * const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
 * const votes = await client.listVotes({ proposalId: node.records.votes[0]!.proposalId }).toArray();
 * ```
 */
export function createFakeNode(data: FakeNodeData = someOfEach, options: FakeNodeOptions = {}): FakeNode {
  const node = new Node(data, options);
  return {
    fetch: (input, init) => node.fetch(new Request(input, init)),
    requests: node.requests,
    get records() {
      return node.records;
    },
    get block() {
      return node.block;
    },
    nextBlock: (data = {}) => node.nextBlock(data),
    configure: (options) => node.configure(options),
  };
}

const someOfEach: FakeNodeData = { votes: 100, profiles: 100, balances: 100, signatures: 100, spamStatistics: 10 };

class Node {
  readonly requests: ReceivedRequest[] = [];
  readonly #chain: Chain;
  #options: FakeNodeOptions = {};
  #faults = new FaultPlan([]);
  #limiter: RateLimiter | undefined;
  /** How many requests came in; `requests` can be emptied. */
  #received = 0;

  constructor(data: FakeNodeData, options: FakeNodeOptions) {
    this.configure({ ...options, rateLimit: options.rateLimit ?? {} });
    this.#chain = new Chain(data);
  }

  get records(): Records {
    return this.#chain.store.records;
  }

  get block(): FakeBlock {
    return this.#chain.block;
  }

  nextBlock(data: FakeNodeData): void {
    this.#chain.nextBlock(data);
  }

  configure(options: FakeNodeOptions): void {
    checkNodeOptions(options);
    const { rateLimit, now, faults } = options;
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.#options = { ...this.#options, ...Object.fromEntries(given) };
    if (faults !== undefined) this.#faults = new FaultPlan(faults);
    if (rateLimit !== undefined || now !== undefined) {
      const limit = this.#options.rateLimit;
      const clock = this.#options.now ?? (() => performance.now());
      this.#limiter = limit === false ? undefined : new RateLimiter({ ...defaultRateLimit, ...limit }, clock);
    }
  }

  async fetch(request: Request): Promise<Response> {
    const { method, headers, signal } = request;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const path = decodePath(this.#withoutBasePath(pathname));
    const operation = path === undefined ? undefined : findRoute(method, path)?.route.operation;
    // `text` would drop a byte order mark, which a node rejects.
    const body = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await request.arrayBuffer());
    this.requests.push({ operation, method, url: request.url, headers: Object.fromEntries(headers), body });
    const faults = this.#faults.next(operation);
    const dataNode = this.#dataNode(faults, ++this.#received);
    const response =
      path === undefined
        ? badRequest
        : (preflightReply(request) ?? withCors(reply({ method, headers, path, search, body }, dataNode), headers));
    return respond(response, faults, signal);
  }

  /** A path elsewhere leads to no operation. */
  #withoutBasePath(path: string): string {
    const { basePath = "" } = this.#options;
    return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : "/";
  }

  #dataNode(faults: RequestFaults, request: number): DataNode {
    const { store, transactions, block, history, seed, unstableTies } = this.#chain;
    const { defects = [], chainId = "vega-fake-0011", checkCode = () => 0 } = this.#options;
    return {
      limit: () => this.#limiter?.decide() ?? { outcome: "served", headers: {} },
      blockHeaders: { "X-Block-Height": String(block.height), "X-Block-Timestamp": String(block.timestamp) },
      state: {
        store,
        transactions,
        history,
        chainId,
        checkCode,
        height: block.height,
        hasDefect: (defect) => defects.includes(defect),
        tieSeed: unstableTies ? `${seed}/${request}` : undefined,
        pageFault: {
          empty: faults.get("empty-page") && request,
          repeated: faults.get("repeated-cursor") !== undefined,
        },
      },
    };
  }
}
