import type { ListBalanceChangesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { systemClock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import type { ListingOptions } from "../client/listing.js";
import { PaginationError } from "../errors/index.js";
import { prunedError } from "../evidence/reading-errors.js";
import { checkPage, compareRecords } from "../scan/records.js";
import { maximum, minimum } from "../values/integers.js";
import { finalTime, microsecondOf, toTime } from "../values/times.js";
import { type Batch, type Follower, type FollowSettings, PollingFollower, readPages } from "./follower.js";
import { type FollowOptions, followChecks, readCheckpoint } from "./options.js";

const operation = "followBalanceChanges";
const { filter } = operations.listBalanceChanges.arguments;

/**
 * Follows the changes of account balances: each record exactly once, in order of time, as soon as its block is final.
 *
 * Nodes of different progress behind one address, and a node that restarts, lose and repeat nothing: each response counts up to
 * the block that it names. Records of one time come in the order of asset, party, market and account type.
 *
 * @param client - The client to poll with.
 * @param query - The accounts to follow. Default: all.
 * @param options - Where to begin, how often to poll, and the options of each request.
 * @throws The next call rejects with a {@link StalledError}; with a `PaginationError`, `reason: "pruned"`, if the checkpoint is before
 * the oldest record that the node keeps; with an `ApiError` or a `ResponseError` that is not transient; with an `ArgumentError`.
 * @example
 * ```ts no-run
 * for await (const change of followBalanceChanges(client, { filter: { partyIds: [partyId] } })) {
 *   console.log(change.timestamp, change.balance);
 * }
 * ```
 */
export function followBalanceChanges(
  client: VegaClient,
  query: Pick<ListBalanceChangesArguments, "filter"> = {},
  options: FollowOptions = {},
): Follower<BalanceChange> {
  return followBalanceChangesWith({ clock: systemClock, random: Math.random, pageSize: 5000 }, client, query, options);
}

/** @internal */
export const followBalanceChangesWith = (
  { clock, random, pageSize }: FollowSettings,
  client: VegaClient,
  query: Pick<ListBalanceChangesArguments, "filter">,
  options: FollowOptions,
): Follower<BalanceChange> =>
  new PollingFollower<BalanceChange, Batch<BalanceChange>>({
    operation,
    clock,
    random,
    client,
    query,
    spec: { arguments: { filter } },
    options,
    checks: followChecks,
    open: () => {
      /** Every record before it was in a batch. */
      let checkpoint = readCheckpoint(operation, options.from);
      /** Reads a page. If all its records have one time, reads on until another one comes. */
      const read = async (start: bigint | "now", call: ListingOptions) => {
        // Nodes from v0.75 on refuse a request without a range.
        const now = BigInt(Math.floor(clock.date())) * 1_000_000n;
        const startTimestamp = start === "now" ? now : start > 0n ? toTime(microsecondOf(start)) : undefined;
        const pagination = { first: start === "now" ? 1 : pageSize, newestFirst: false };
        const dateRange = startTimestamp === undefined ? {} : { dateRange: { startTimestamp } };
        const listing = client.listBalanceChanges({ ...query, ...dateRange, pagination }, call);
        const records: BalanceChange[] = [];
        let completeFrom: bigint | undefined;
        const { block, hasMore } = await readPages(operation, listing, (page, block) => {
          completeFrom ??= (page as { completeFrom?: bigint }).completeFrom ?? 0n;
          if (start === "now") return true;
          const { edges, nodes, response } = page;
          // Of the records of a page, the client can have left out those that the filter does not want.
          checkPage(operation, { edges, pageInfo: null, request: { pagination, start: startTimestamp } }, response);
          records.push(...nodes);
          const earliest = start || timeOf(records[0]);
          return timeOf(records.at(-1)) > earliest || earliest >= finalTime(block.timestamp);
        }).catch((error: unknown) => {
          if (start === "now" || !PaginationError.is(error) || error.availableFrom === undefined) throw error;
          throw prunedError(operation, start, error.availableFrom, undefined);
        });
        return { records, block, hasMore: hasMore && start !== "now", completeFrom: completeFrom ?? 0n };
      };
      return async (call) => {
        const before = checkpoint;
        const { records, block, hasMore, completeFrom } = await read(before, call);
        const final = finalTime(block.timestamp);
        const upTo = hasMore ? minimum(timeOf(records.at(-1)), final) : final;
        const start = before === "now" ? 0n : before;
        if (upTo <= start) return { block };
        checkpoint = upTo;
        const isNew = ({ timestamp }: BalanceChange) => BigInt(timestamp) >= start && BigInt(timestamp) < upTo;
        const from = before === "now" ? upTo : minimum(maximum(start, completeFrom), upTo);
        const batch = { records: records.filter(isNew).sort(compareRecords), from, upTo, resume: `${upTo}` as const };
        return { block, batch, hasMore: upTo < final };
      };
    },
  });

/** The microsecond of a record, in Unix nanoseconds. */
const timeOf = (record: BalanceChange | undefined) => toTime(microsecondOf(BigInt(record?.timestamp ?? 0)));
