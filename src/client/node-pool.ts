import type { Connection, ConnectionOptions } from "../http/send.js";

/** The state of one node of a pool, from the responses of calls: no request is sent for it. Its JSON has digits. */
export interface NodeStatus {
  /** The address of the node. */
  readonly url: string;
  /**
   * - `"unknown"`: the node has not responded yet.
   * - `"ready"`: its last response was fresh.
   * - `"cooling-down"`: its last request failed or took more than a second, or two in a row were late, and it has not
   *   responded since. `error` has the reason.
   * - `"lagging"`: its last response was more than `maxLag` behind the other nodes, or it has no block yet.
   */
  readonly state: "unknown" | "ready" | "cooling-down" | "lagging";
  /** Until when the node is used only if no other node can serve a call; `undefined` if that time has passed. */
  readonly until: Date | undefined;
  /** The height of the last block that the node sent; `undefined` if it has sent none. */
  readonly height: bigint | undefined;
  /** The time of that block, in Unix nanoseconds. */
  readonly timestamp: bigint | undefined;
  /** How far the node is behind the other nodes, in milliseconds of block time. */
  readonly lag: number | undefined;
  /** The typical time until a response is complete, in milliseconds. */
  readonly latency: number | undefined;
  /** The rate limit in the node's last response: requests in a second, and those left at that moment. */
  readonly rateLimit: { readonly limit: number; readonly remaining: number } | undefined;
  /** The message of the last error; `undefined` once the node responds again. */
  readonly error: string | undefined;
  /**
   * The time of the oldest balance change that the node keeps, in Unix nanoseconds, as of the last
   * `check({ history: true })`; `undefined` before that, and if the node returned none.
   */
  readonly historyStart: bigint | undefined;
}

/** The method by which a client connects to a pool. Registered: it is the same in two copies of this package. */
export const connect: unique symbol = Symbol.for("vegaprotocol-client.connect/1");

/**
 * Options of a check of all nodes.
 *
 * @inline
 */
export interface CheckOptions {
  /** How long each node is waited for, in milliseconds. Default: 5000. */
  timeout?: number | undefined;
  /** Whether to read the oldest balance change of each node as well, for `historyStart`. Default: `false`. */
  history?: boolean | undefined;
  /** Aborts the check: it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** Several nodes of one network, as `nodePool` of `vegaprotocol-client/pool` creates them. */
export interface NodePool {
  /** The state of each node, in the given order. */
  readonly status: readonly NodeStatus[];
  /**
   * Sends one read to each node now, also to those that are cooling down, with the `fetch`, headers and middleware of
   * the first client that was created with the pool. Resolves to the status of all nodes, also if some do not respond.
   *
   * @param options - How long to wait for each node, what to read, and a signal.
   * @throws `ArgumentError` if no client was created with the pool, or if an option is invalid.
   * @example
   * ```ts
   * const nodes = nodePool(["https://a.example", "https://b.example"]);
   * const client = createClient({ baseUrl: nodes });
   * const ready = (await nodes.check()).filter(({ state }) => state === "ready");
   * ```
   */
  check(options?: CheckOptions): Promise<readonly NodeStatus[]>;
  /** @internal */
  readonly [connect]: (options: ConnectionOptions) => Connection;
}
