import type { ListBalanceChangesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { systemClock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import type { Page } from "../client/listing.js";
import { PaginationError } from "../errors/index.js";
import { prunedError } from "../evidence/reading-errors.js";
import type { Block } from "../http/call.js";
import { checkPage, compareRecords } from "../scan/records.js";
import { maximum, minimum } from "../values/integers.js";
import { finalTime, microsecondOf, toTime } from "../values/times.js";
import { type Batch, blockOf, earlier, type Follower, type FollowSettings, firstPageOf, follower } from "./follower.js";
import { type FollowOptions, followChecks, readCheckpoint } from "./options.js";

const operation = "followBalanceChanges";
const { filter } = operations.listBalanceChanges.arguments;

/**
 * Follows the changes of account balances: each record exactly once, in order of time, as soon as its block is final.
 *
 * Nodes of different progress behind one address, and a node that restarts, lose and repeat nothing: each response counts up to
 * the block that it names. Records of one time come in the order of asset, party, market and account type.
 *
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
  return followBalanceChangesWith({ clock: systemClock, pageSize: 5000 }, client, query, options);
}

/** @internal */
export const followBalanceChangesWith = (
  { clock, pageSize }: FollowSettings,
  client: VegaClient,
  query: Pick<ListBalanceChangesArguments, "filter">,
  options: FollowOptions,
): Follower<BalanceChange> =>
  follower<BalanceChange, Batch<BalanceChange>>({
    operation,
    clock,
    client,
    query,
    spec: { arguments: { filter } },
    options,
    checks: followChecks,
    open: (call) => {
      const list: List = ({ start, size = pageSize, signal }) => {
        const dateRange = start === undefined ? {} : { dateRange: { startTimestamp: start } };
        const pagination = { first: size, newestFirst: false };
        return firstPageOf(client.listBalanceChanges({ ...query, ...dateRange, pagination }, { ...call, signal }));
      };
      /** Every record before it was in a batch. */
      let checkpoint = readCheckpoint(operation, options.from);
      return async (signal) => {
        const before = checkpoint;
        // Nodes from v0.75 on refuse a request without a range.
        const now = BigInt(Math.floor(clock.date())) * 1_000_000n;
        const { records, block, hasMore, completeFrom } =
          before === "now"
            ? { ...none, block: blockOf(operation, await list({ start: now, size: 1, signal })) }
            : await read(list, before, signal);
        const final = finalTime(block.timestamp);
        const last = hasMore ? timeOf(records.at(-1)) : final;
        const upTo = minimum(last, final);
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

type List = (request: {
  start?: bigint | undefined;
  size?: number;
  signal: AbortSignal;
}) => Promise<Page<BalanceChange>>;

const none = { records: [], hasMore: false, completeFrom: 0n };

/** Reads a page. If all its records have one time, reads on until another one comes: one response counts up to its own block. */
async function read(list: List, checkpoint: bigint, signal: AbortSignal) {
  const start = checkpoint > 0n ? toTime(microsecondOf(checkpoint)) : undefined;
  const records: BalanceChange[] = [];
  let block: Block | undefined;
  const first = await list({ start, signal }).catch((error: unknown) => {
    if (!PaginationError.is(error) || error.availableFrom === undefined) throw error;
    throw prunedError(operation, checkpoint, error.availableFrom, "follow from `availableFrom`", undefined);
  });
  const { completeFrom = 0n } = first as { completeFrom?: bigint };
  for (let page = first; ; ) {
    const { edges, nodes, pageInfo, response } = page;
    const hasMore = pageInfo?.hasNextPage ?? false;
    // Of the records of a page, the client can have left out those that the filter does not want.
    checkPage(operation, { pagination: { newestFirst: false }, start }, { edges, pageInfo: null }, response);
    block = earlier(blockOf(operation, page), block);
    records.push(...nodes);
    const earliest = checkpoint || timeOf(records[0]);
    const isDense = hasMore && timeOf(records.at(-1)) <= earliest && earliest < finalTime(block.timestamp);
    const next = isDense ? await page.nextPage() : undefined;
    if (next === undefined) return { records, block, hasMore, completeFrom };
    page = next;
  }
}

/** The microsecond of a record, in Unix nanoseconds. */
const timeOf = (record: BalanceChange | undefined) => toTime(microsecondOf(BigInt(record?.timestamp ?? 0)));
