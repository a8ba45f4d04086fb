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
   * Which node serves a call: `"fastest"` takes two at random and of these the one with the smaller latency and the fewer
   * requests in flight. `"given"` takes the first one that is not set aside.
   *
   * @default "fastest"
   */
  order?: Order | undefined;
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
  monotonic: boolean;
  staleness: "mark" | "error";
}

const checks: OptionChecks<NodePoolOptions> = {
  maxLag: milliseconds,
  order: oneOf("fastest", "given"),
  monotonic: boolean,
  staleness: oneOf("mark", "error"),
};

/** Checks the options of a pool, and adds the defaults. */
export function readPoolOptions(options: NodePoolOptions): PoolSettings {
  checkOptions(checks, options, { name: "nodePool" });
  const { maxLag = 10_000, order = "fastest", monotonic = true, staleness = "mark" } = options;
  return { maxLag, order, monotonic, staleness };
}
