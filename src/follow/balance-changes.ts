import type { BalanceChangesInRange } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { readArguments } from "../arguments/read-arguments.js";
import type { VegaClient } from "../client.js";
import { type Clock, systemClock } from "../http/clock.js";
import type { Page } from "../pagination/listing.js";
import { checkPage } from "../scan/range-page.js";
import { compareRecords } from "../scan/record-order.js";
import { microsecondOf, toTime } from "../scan/timeline.js";
import { blockOf, earlier, finalTime } from "./final-time.js";
import { checkClient, type FollowFromOptions, followFromChecks, readStart, type Start } from "./follow-options.js";
import { type Batch, type Follower, type FollowSettings, follower } from "./follower.js";
import { KeptHistory } from "./kept-history.js";
import type { Poll } from "./polling.js";

/** The argument of {@link followBalanceChanges}. */
export interface FollowBalanceChangesQuery extends Pick<BalanceChangesInRange, "filter"> {}

const operation = "followBalanceChanges";
const { filter } = operations.listBalanceChanges.arguments;

/**
 * Follows the changes of account balances: each record exactly once, in order of time, as soon as its block is final.
 *
 * Nodes of different progress behind one address, and a node that restarts, lose and repeat nothing: each response counts up to
 * the block that it names. Records of one time come in the order of asset, party, market and account type.
 *
 * @throws Whatever ends a follower rejects its next call: {@link StalledError}; `PaginationError` with the `reason`
 * `"pruned"` if the position is before the oldest record that the node keeps; `ApiError` and `ResponseError`, if they
 * are not transient; `ArgumentError`.
 * @example
 * ```ts no-run
 * for await (const change of followBalanceChanges(client, { filter: { partyIds: [partyId] } })) {
 *   console.log(change.timestamp, change.balance);
 * }
 * ```
 */
export function followBalanceChanges(
  client: VegaClient,
  query: FollowBalanceChangesQuery = {},
  options: FollowFromOptions = {},
): Follower<BalanceChange> {
  return followBalanceChangesWith({ clock: systemClock, pageSize: 5000 }, client, query, options);
}

/** @internal */
export const followBalanceChangesWith = (
  { clock, pageSize }: FollowSettings,
  client: VegaClient,
  query: FollowBalanceChangesQuery,
  options: FollowFromOptions,
): Follower<BalanceChange> =>
  follower<BalanceChange, Batch<BalanceChange>>({
    operation,
    clock,
    options,
    checks: followFromChecks,
    open: (call) => {
      checkClient(operation, client);
      readArguments(operation, { arguments: { filter } }, query);
      const list: List = ({ start, size, signal }) =>
        client.listBalanceChanges(
          {
            ...query,
            ...(start !== undefined && { dateRange: { startTimestamp: start } }),
            pagination: { first: size ?? pageSize, newestFirst: false },
          },
          { ...call, signal },
        );
      const history = new KeptHistory(clock, async (signal) => {
        const { nodes } = await client.listBalanceChanges(
          { pagination: { first: 1, newestFirst: false } },
          { ...call, signal },
        );
        return nodes[0];
      });
      const source = new BalanceChangesSource(list, history, readStart(operation, options.from), clock);
      return (signal) => source.poll(signal);
    },
  });

type List = (request: {
  start: bigint | undefined;
  size?: number;
  signal: AbortSignal;
}) => PromiseLike<Page<BalanceChange>>;

/** Reads the records after a position. */
class BalanceChangesSource {
  readonly #list: List;
  readonly #history: KeptHistory;
  readonly #clock: Clock;
  /** Every record before it was in a batch. */
  #position: Start;

  constructor(list: List, history: KeptHistory, start: Start, clock: Clock) {
    this.#list = list;
    this.#history = history;
    this.#position = start;
    this.#clock = clock;
  }

  async poll(signal: AbortSignal): Promise<Poll<Batch<BalanceChange>>> {
    const position = this.#position;
    if (position === "now") return this.#findBlock(signal);
    const { records, block, hasMore } = await this.#read(position, signal);
    const end = hasMore ? earliest(timeOfLast(records), finalTime(block)) : finalTime(block);
    if (position !== undefined && end <= position) return { block, batch: undefined, hasMore: false };
    if (position !== undefined) await this.#history.check(operation, position, finalTime(block), signal);
    this.#position = end;
    const isNew = ({ timestamp }: BalanceChange) => {
      const time = BigInt(timestamp);
      return time < end && (position === undefined || time >= position);
    };
    const batch = { records: records.filter(isNew).sort(compareRecords), upTo: end, resume: `${end}` as const };
    return { block, batch, hasMore: hasMore && end < finalTime(block) };
  }

  /** The position of `from: "now"`. Nodes from v0.75 on refuse a request without a range. */
  async #findBlock(signal: AbortSignal): Promise<Poll<Batch<BalanceChange>>> {
    const page = await this.#list({ start: BigInt(this.#clock.date()) * 1_000_000n, size: 1, signal });
    const block = blockOf(operation, page);
    const end = finalTime(block);
    this.#position = end;
    return { block, batch: { records: [], upTo: end, resume: `${end}` }, hasMore: false };
  }

  /** Reads a page. If all its records have one time, reads on until another one comes: one response counts up to its own block. */
  async #read(position: bigint | undefined, signal: AbortSignal) {
    // One microsecond early: the reference does not say whether the start belongs to the range.
    const start = position === undefined || position <= 1000n ? undefined : position - 1000n;
    let page: Page<BalanceChange> | undefined = await this.#list({ start, signal });
    let block = blockOf(operation, page);
    const records: BalanceChange[] = [];
    let hasMore = false;
    while (page !== undefined) {
      const { edges, nodes, response } = page;
      hasMore = page.pageInfo?.hasNextPage ?? false;
      checkPage(operation, { start, newestFirst: false }, { edges, hasMore, response });
      block = earlier(block, blockOf(operation, page));
      records.push(...nodes);
      const first = position ?? timeOfFirst(records);
      const isDense = hasMore && timeOfLast(records) <= first && first < finalTime(block);
      if (!isDense) break;
      page = await page.nextPage();
    }
    return { records, block, hasMore };
  }
}

const earliest = (a: bigint, b: bigint) => (a < b ? a : b);
const timeAt = (record: BalanceChange | undefined) => toTime(microsecondOf(BigInt(record?.timestamp ?? 0)));
const timeOfFirst = (records: readonly BalanceChange[]) => timeAt(records[0]);
const timeOfLast = (records: readonly BalanceChange[]) => timeAt(records.at(-1));
