import { boolean, checkOptions, milliseconds, type OptionChecks, oneOf } from "../arguments/check-options.js";
import type { Order } from "./choice.js";

/** Options of a pool. */
export interface NodePoolOptions {
  /**
   * How far a response may be behind the other nodes, in milliseconds of block time. The clock of the client does not matter.
   * Also how long a height that another node named is compared with, before a read goes to two nodes at once.
   *
   * @default 10_000
   */
  maxLag?: number | undefined;
  /**
   * Which node serves a call: `"fastest"` picks two at random and uses the one expected to respond
   * first, by its latency, its requests in flight and its rate limit. `"given"` takes the first one that is not set aside.
   *
   * @default "fastest"
   */
  order?: Order | undefined;
  /**
   * After how many milliseconds without a response a read is sent to a second node as well; the first good response is returned. `false`:
   * never. Default: learned from the response times, between 50 and 1000 ms. At most two of 100 reads are sent twice, unless a node
   * is silent, and none if the rate limit of the second node has nothing to spare. The check of a transaction never is.
   */
  hedgeAfter?: number | false | undefined;
  /**
   * Whether a response that is older than one that the client has already returned is not returned. Walks and scans compare
   * with their own pages instead.
   *
   * @default true
   */
  monotonic?: boolean | undefined;
  /**
   * What to do if no node gives a fresh response: `"mark"` returns the freshest one, with `stale: true`; `"error"` rejects.
   *
   * @default "mark"
   */
  staleness?: "mark" | "error" | undefined;
}

/** The options of a pool with all defaults. */
export interface PoolSettings {
  maxLag: number;
  order: Order;
  /** Default: learned. */
  hedgeAfter: number | false | undefined;
  monotonic: boolean;
  staleness: "mark" | "error";
}

const checks: OptionChecks<NodePoolOptions> = {
  maxLag: milliseconds,
  order: oneOf("fastest", "given"),
  hedgeAfter: (value, place) => value === false || milliseconds(value, place),
  monotonic: boolean,
  staleness: oneOf("mark", "error"),
};

/** Checks the options of a pool, and adds the defaults. */
export function readPoolOptions(options: NodePoolOptions): PoolSettings {
  checkOptions(checks, options, { name: "nodePool" });
  const { maxLag = 10_000, order = "fastest", hedgeAfter, monotonic = true, staleness = "mark" } = options;
  return { maxLag, order, hedgeAfter, monotonic, staleness };
}
