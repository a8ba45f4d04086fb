import { operations } from "../../generated/operations.js";
import type { Transaction } from "../../generated/types.js";
import {
  boolean,
  callback,
  checkedWhenRead,
  checkOptions,
  deadline,
  expected,
  nested,
  type OptionCheck,
  type OptionChecks,
  oneOf,
} from "../arguments/check-options.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import { unlessThrown } from "../errors/index.js";
import type { CheckCode } from "./check.js";
import type { NodeFault } from "./faults.js";
import type { RateLimit } from "./rate-limiter.js";
import { type NodeVersion, nodeVersions } from "./versions.js";

/**
 * The paging defects of v0.74 nodes (observed on v0.74 nodes). Without a defect, the list pages correctly.
 *
 * - `"tied-vote-cursors"`: a cursor of votes is a block time and nothing else. Votes of one block repeat or are lost;
 *   if they do not fit a page, that page repeats forever. Without it, cursors have another form than on v0.74 nodes.
 * - `"lost-balance-changes"`: a cursor lacks the account id. At a border between two pages, all further changes of the
 *   border's block and the first change of the next block are lost. Without it, cursors have the account id.
 * - `"failing-profile-cursors"`: every cursor of profiles fails with status 500.
 */
export const nodeDefects = ["tied-vote-cursors", "lost-balance-changes", "failing-profile-cursors"] as const;

/** How a fake node behaves. */
export interface FakeNodeOptions {
  /** The version of the node, which decides the format of records and which requests it rejects. Default: `"v0.74"`. */
  version?: NodeVersion | undefined;
  /** Defects of its pages; `nodeDefects` has them all. Default: none. */
  defects?: readonly (typeof nodeDefects)[number][] | undefined;
  /**
   * Faults between the client and the node, for all requests or for some. Default: nothing.
   *
   * @example
   * ```ts
   * createFakeNode({}, { faults: [{ name: "reset", request: 2 }, { name: "latency", milliseconds: 20 }] });
   * ```
   */
  faults?: readonly NodeFault[] | undefined;
  /**
   * How many requests the node serves; `false` for any number. `rate` is the number of requests a second, `burst` the
   * number at once, and more than `refusals` rejected requests cause a ban of `ban` seconds. A member that is left out
   * has its default. Default: `{ rate: 20, burst: 100, refusals: 100, ban: 600 }`.
   */
  rateLimit?: RateLimit | false | undefined;
  /** The time in milliseconds: of the rate limit, and the end of open ranges on v0.79 nodes. Default: `Date.now`. */
  now?: (() => number) | undefined;
  /**
   * Decides the outcome of a check for a transaction that is well-formed and new in its block: 0 for passed, 51 for
   * validation, 60 for decoding or signature, 70 for the state of the network, 80 for an unknown command, or 89 for spam
   * or proof of work (observed on v0.74 nodes). Default: it passes.
   */
  checkCode?: ((tx: Transaction) => CheckCode) | undefined;
  /** The name of the node's chain. Default: `"vega-fake-0011"`. */
  chainId?: string | undefined;
  /** Whether responses have `X-Block-Height` and `X-Block-Timestamp`, which some proxies remove. Default: `true`. */
  blockHeaders?: boolean | undefined;
  /**
   * How many blocks the node is behind its chain: it lacks their records, and its headers have an earlier block. With
   * more than there are, it has no block yet: its headers have height 0 and time 0. With a negative number, they have a
   * later block; its records are up to date. Default: 0.
   */
  lag?: number | undefined;
  /**
   * Whether the node is down: requests fail without a response, also those in flight. When it comes up again, it has
   * lost nothing, and its rate limit starts again. Default: `false`.
   */
  down?: boolean | undefined;
  /**
   * The time from which the node keeps balance changes, in Unix nanoseconds. Older ones are silently absent from
   * responses; votes, profiles and signatures are kept whole. It can be any time: a node that is restored from network
   * history begins at the first block that it fetched, and a retention job drops a day at once (observed on v0.74
   * nodes). Default: everything is kept.
   */
  history?: bigint | undefined;
}

export type NodeBehavior = { readonly [Name in keyof FakeNodeOptions]-?: NonNullable<FakeNodeOptions[Name]> };

const wholeNumber = expected("a whole number", (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const text = expected("a string", (value) => typeof value === "string");
const status = expected(
  "an HTTP status",
  (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) < 600,
);

const faultChecks: Record<NodeFault["name"], Record<string, OptionCheck>> = {
  latency: { milliseconds: deadline },
  reset: {},
  status: {
    status,
    code: expected("an integer", Number.isSafeInteger),
    message: text,
    body: checkedWhenRead,
    headers: expected("names and values that HTTP allows", (value) => {
      return unlessThrown(() => new Headers(value as HeadersInit)) !== undefined;
    }),
  },
  html: { status },
  "truncated-body": {},
};
const isOrdinal = (value: unknown) => Number.isInteger(value) && Number(value) > 0;
const faultScope = {
  name: oneOf(...Object.keys(faultChecks)),
  request: expected("the number of a request, or an array of them", (value) => [value].flat().every(isOrdinal)),
  operation: oneOf(...Object.keys(operations)),
  share: expected("a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1),
};

const checkFault: OptionCheck = (given, { argument }) => {
  const fault: NodeFault = Object(given);
  faultScope.name(fault.name, { argument: `${argument}.name` });
  checkOptions({ ...faultScope, ...faultChecks[fault.name] }, given, { name: argument, prefix: `${argument}.` });
  // These two are required.
  if (fault.name === "latency") deadline(fault.milliseconds, { argument: `${argument}.milliseconds` });
  if (fault.name === "status") status(fault.status, { argument: `${argument}.status` });
};

const arrayOf =
  (what: string, item: OptionCheck): OptionCheck =>
  (value, place) => {
    if (!Array.isArray(value)) return refuse(place, `an array of ${what}`, value);
    for (const [index, each] of value.entries()) item(each, { ...place, argument: `${place.argument}[${index}]` });
  };

const limits = { rate: wholeNumber, burst: wholeNumber, refusals: wholeNumber, ban: wholeNumber };

const optionChecks: OptionChecks<FakeNodeOptions> = {
  version: oneOf(...nodeVersions),
  now: callback,
  defects: arrayOf("names", oneOf(...nodeDefects)),
  faults: arrayOf("faults", checkFault),
  rateLimit: (value, place) => value === false || nested<RateLimit>(limits, "an object or false")(value, place),
  checkCode: callback,
  chainId: text,
  blockHeaders: boolean,
  lag: expected("a whole number of blocks", Number.isSafeInteger),
  down: boolean,
  history: expected("a bigint", (value) => typeof value === "bigint"),
};

/** @throws `ArgumentError` if an option is invalid. */
export const checkNodeOptions = (options: FakeNodeOptions, name = "configure", prefix = "options."): void =>
  checkOptions(optionChecks, options, { name, prefix });

/** @throws `ArgumentError` if an option is invalid or among the data, or if data is among the options. */
export function checkArguments(name: string, data: object, options: object, dataNames: readonly string[]): void {
  const refuseIn = (given: object, names: readonly string[], right: string) => {
    const argument = names.find((each) => each in Object(given));
    if (argument) refuseByRule({ argument }, `belongs in the ${right} argument of ${name}`);
  };
  refuseIn(data, Object.keys(optionChecks), "second");
  refuseIn(options, dataNames, "first");
  checkNodeOptions(options, name);
}
