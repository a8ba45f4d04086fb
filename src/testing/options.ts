import type { Transaction } from "../../generated/types.js";
import { listNames } from "../arguments/refuse.js";
import { checkNames, checkType, isTimer, longestTimer, refuse } from "./arguments.js";
import type { CheckCode } from "./check.js";
import { type NodeFault, nodeFaults } from "./faults.js";
import { operationIds } from "./operations.js";
import { defaultRateLimit, type RateLimit } from "./rate-limiter.js";

/**
 * The paging defects of v0.74 nodes (observed on v0.74 nodes). Without a defect, the list pages correctly.
 *
 * - `"tied-vote-cursors"`: a cursor of votes is a block time and nothing else. Votes of one block repeat or are lost;
 *   if they do not fit a page, that page repeats for ever. Without it, cursors have another form than on v0.74 nodes.
 * - `"lost-balance-changes"`: a cursor lacks the account id. At a border between two pages, all further changes of the
 *   border's block and the first change of the next block are lost. Without it, cursors have the account id.
 * - `"failing-profile-cursors"`: every cursor of profiles fails with status 500.
 */
export const nodeDefects = ["tied-vote-cursors", "lost-balance-changes", "failing-profile-cursors"] as const;

/** The name of a paging defect. */
export type NodeDefect = (typeof nodeDefects)[number];

/** How a fake node behaves. */
export interface FakeNodeOptions {
  /**
   * Its paging defects; `nodeDefects` has them all. Default: none.
   *
   * @example
   * ```ts
   * createFakeNode({ balances: 20_000 }, { defects: nodeDefects });
   * ```
   */
  defects?: readonly NodeDefect[] | undefined;
  /**
   * What fails between the client and the node, for all requests or for some. Default: nothing.
   *
   * @example
   * ```ts
   * createFakeNode({}, { faults: [{ name: "reset", request: 2 }, { name: "latency", milliseconds: 20 }] });
   * ```
   */
  faults?: readonly NodeFault[] | undefined;
  /**
   * How many requests the node serves; `false` for any number. A member that is left out has its default.
   *
   * @default { rate: 20, burst: 100, refusals: 100, ban: 600 }
   */
  rateLimit?: Partial<RateLimit> | false | undefined;
  /** The clock of the rate limit: milliseconds that never decrease. Default: `performance.now`. */
  now?: (() => number) | undefined;
  /**
   * Decides the outcome of a check for a transaction that is well-formed, recent, and new in its block. Default: it passes.
   */
  checkCode?: ((tx: Transaction) => CheckCode) | undefined;
  /**
   * The name of the node's chain.
   *
   * @default "vega-fake-0011"
   */
  chainId?: string | undefined;
  /**
   * The path at which a proxy serves the node, as in `"/datanode"`. Other paths get a 404.
   *
   * @default ""
   */
  basePath?: string | undefined;
  /**
   * How many blocks the node is behind its chain: it has neither the records nor the header of later blocks. With a negative
   * number, only the block that its headers name is ahead.
   *
   * @default 0
   */
  lag?: number | undefined;
  /**
   * Whether the node is down: requests fail without a response, also those in flight. When it comes up again, it has lost
   * nothing, and its rate limit begins anew.
   *
   * @default false
   */
  down?: boolean | undefined;
  /** The oldest time that this node keeps, in Unix nanoseconds. Default: that of the data. */
  history?: bigint | undefined;
  /** Whether the order of the votes of one block varies from request to request. Default: that of the data. */
  unstableTies?: boolean | undefined;
}

const optionNames = [
  "defects",
  "faults",
  "rateLimit",
  "now",
  "checkCode",
  "chainId",
  "basePath",
  "lag",
  "down",
  "history",
  "unstableTies",
];

/**
 * @param place - Where the options were passed, for messages.
 * @throws `ArgumentError` if an option makes no sense.
 */
export function checkOptions(options: FakeNodeOptions, place = "options"): void {
  checkNames(place, options, optionNames);
  const { defects = [], faults = [], rateLimit = {}, now, checkCode, chainId, basePath = "", lag = 0 } = options;
  if (!Array.isArray(defects)) refuse(`${place}.defects`, "an array of names", defects);
  for (const [index, defect] of defects.entries()) {
    if (!nodeDefects.includes(defect)) refuse(`${place}.defects[${index}]`, `one of ${listNames(nodeDefects)}`, defect);
  }
  if (!Array.isArray(faults)) refuse(`${place}.faults`, "an array of faults", faults);
  for (const [index, fault] of faults.entries()) checkFault(`${place}.faults[${index}]`, fault);
  if (rateLimit !== false) {
    checkNames(`${place}.rateLimit`, rateLimit, Object.keys(defaultRateLimit));
    for (const [name, value] of Object.entries(rateLimit)) {
      if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
        refuse(`${place}.rateLimit.${name}`, "a whole number", value);
      }
    }
  }
  if (typeof basePath !== "string" || !/^(?:\/.*[^/])?$/.test(basePath)) {
    refuse(`${place}.basePath`, "a path that begins with a slash and does not end with one", basePath);
  }
  if (!Number.isSafeInteger(lag)) refuse(`${place}.lag`, "a whole number of blocks", lag);
  checkType(`${place}.now`, now, "function");
  checkType(`${place}.checkCode`, checkCode, "function");
  checkType(`${place}.chainId`, chainId, "string");
  checkType(`${place}.down`, options.down, "boolean");
  checkType(`${place}.history`, options.history, "bigint");
  checkType(`${place}.unstableTies`, options.unstableTies, "boolean");
}

function checkFault(place: string, fault: NodeFault): void {
  if (!nodeFaults.includes(fault?.name)) {
    refuse(`${place}.name`, `one of ${listNames(nodeFaults)}`, fault?.name ?? fault);
  }
  const { operation } = fault;
  if (operation !== undefined && !operationIds.includes(operation)) {
    refuse(`${place}.operation`, `one of ${listNames(operationIds)}`, operation);
  }
  if (fault.name === "latency" && !isDuration(fault.milliseconds)) {
    refuse(`${place}.milliseconds`, `a number from 0 to ${longestTimer}, or Infinity`, fault.milliseconds);
  }
  if (fault.name === "status" && !(fault.status >= 200 && fault.status < 600)) {
    refuse(`${place}.status`, "an HTTP status", fault.status);
  }
}

const isDuration = (value: unknown) => isTimer(value) || value === Number.POSITIVE_INFINITY;
