import type { BalanceChangesDateRange, ListBalanceChangesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { ArgumentError, PaginationError } from "../errors/index.js";
import { type Block, finalTime } from "../values/block.js";
import { maximum, minimum } from "../values/integers.js";
import { type Batch, batchOf, coverageOf, type Follower, type FollowerKind, type PollContext } from "./follower.js";
import { type Checkpoint, type FollowOptions, followChecks, readCheckpoint } from "./options.js";
import { PollingFollower } from "./polling-follower.js";

type Query = NonNullable<Parameters<typeof followBalanceChanges>[1]>;

/**
 * Follows the changes of account balances: each record exactly once, in order of time, as soon as its block is final.
 *
 * Nodes at different blocks behind one address, and a node that restarts, neither lose nor repeat records: each
 * response counts only up to its own block. Records of one time come in the order of asset, party, market and account
 * type.
 *
 * @param client - The client to poll with.
 * @param query - The accounts to follow. Default: all.
 * @param options - Where to begin, how often to poll, and the options of each request.
 * @throws The next call rejects with a {@link StalledError}; with a `PaginationError`, `reason: "pruned"`, if the
 * checkpoint is before the oldest record that the node keeps; with an `ApiError` or a `ResponseError` that is not
 * transient; with an `ArgumentError`.
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
  return new PollingFollower(balanceChanges, client, query, options);
}

const operation = "followBalanceChanges";
const { filter } = operations.listBalanceChanges.arguments;

interface State {
  /** Every record before it was in a batch. */
  readonly upTo: Checkpoint;
  /**
   * The time of a record before that: a scan from there shows at once whether nodes have dropped anything since. `null`
   * if the last poll found none.
   */
  readonly known?: bigint | null;
  /**
   * Whether nodes must keep everything from `upTo` on: the caller gave a time to begin with, or a response has proved
   * that they do. A network without records cannot prove it.
   */
  readonly requiresHistory: boolean;
  /** Whether some nodes have records before it and others do not: then a gap is never accepted. */
  readonly isContested?: boolean;
}

/** Without a known record, a proof takes several requests: this much is scanned at once while nothing comes. */
const quietTime = 60_000_000_000n;

/**
 * Each poll scans from the last record before the checkpoint to the head: one response then shows that record and all
 * that follows, which proves it. If there is no such record, one small request looks for anything new, and a scan waits
 * until a minute has passed. If nodes no longer have that record, the scan is repeated from the checkpoint. A poll
 * fails if its records are not proved from the checkpoint on, and only some of the nodes have a record before it.
 */
export const balanceChanges: FollowerKind<Query, State, Batch<BalanceChange>, BalanceChange> = {
  operation,
  spec: { arguments: { filter } },
  checks: followChecks,
  // The largest page has room for more, which show where the last block ends.
  pageSize: 4900,
  begin(from) {
    const upTo = readCheckpoint(operation, from);
    return { upTo, requiresHistory: upTo !== "now" && upTo > 0n };
  },
  async poll(state, context) {
    const { upTo, requiresHistory, isContested } = state;
    let { known } = state;
    const isQuiet = known === null;
    if (upTo === "now") {
      const { time, end, block } = await readNewest(context);
      known = time !== undefined && time < end ? time : null;
      return { state: { upTo: end, known, requiresHistory }, block, batch: batchOf([], end, end) };
    }
    if (known == null && upTo > 0n) {
      const { time, end, block } = await readNewest(context, isQuiet ? { startTimestamp: upTo } : {});
      // The newest record of a node that is behind can be long before the checkpoint.
      if (end < upTo || (time === undefined && isQuiet && end < upTo + quietTime)) return { state, block };
      // Kept also if the scan fails: the node of the next response may not have that record.
      if (time !== undefined && time < upTo) return { state: { ...state, known: time }, block, hasMore: true };
    }
    let hasShown = known != null;
    const scanned = scan(known ?? upTo, upTo, context).catch((error: unknown) => {
      const { availableFrom } = error as { availableFrom?: bigint };
      // Nodes may have dropped the known record, and keep all that follows. Or their oldest record is the first ever.
      const start = hasShown ? upTo : requiresHistory ? undefined : availableFrom;
      if (!PaginationError.is(error) || start === undefined) throw error;
      // The node keeps the checkpoint, but cannot prove it unless the filter has a party, market or type.
      if (availableFrom !== undefined && availableFrom <= upTo && !hasOthers(context.query)) hasShown = false;
      known = null;
      return scan(start, upTo, context);
    });
    const found = await scanned.catch(async (error: unknown) => {
      if (!PaginationError.is(error) || error.reason !== "pruned") throw error;
      // Another node may keep the checkpoint.
      throw isContested || (await doNodesDiffer(upTo, context)) ? unprovedError(upTo, { cause: error }) : error;
    });
    const { completeFrom, end, block, hasMore } = found;
    if (end <= upTo) return { state, block };
    const isFresh = ({ timestamp }: BalanceChange) => BigInt(timestamp) >= upTo && BigInt(timestamp) < end;
    const records = found.records.filter(isFresh);
    const last = records.at(-1);
    const from = minimum(maximum(upTo, completeFrom), end);
    if (from > upTo && upTo > 0n) {
      if (hasShown || isContested) throw unprovedError(upTo, { block });
      if (await doNodesDiffer(upTo, context)) return { state: { ...state, isContested: true }, block, hasMore: true };
    }
    const batch = batchOf(records, from, end);
    known = last ? BigInt(last.timestamp) : (known ?? null);
    return { state: { upTo: end, known, requiresHistory: requiresHistory || from < end }, block, batch, hasMore };
  },
  valuesOf: ({ records }) => records,
};

/** Whether records of other parties, markets or types can prove what a list with this filter lacks. */
const hasOthers = ({ filter: { assetId: _, ...others } = {} }: Query): boolean =>
  Object.values(others).some((values) => values?.length);

/** How many responses are compared: behind one address, each can come from another node. */
const comparedResponses = 16;

/**
 * Whether some nodes have records before a checkpoint and others do not. Records of other parties count: a node that
 * has some can prove by them what follows the checkpoint. A node that was set up later cannot.
 */
async function doNodesDiffer(upTo: bigint, context: PollContext<Query>): Promise<boolean> {
  const query = { filter: { assetId: context.query.filter?.assetId } };
  const isThere = async () => (await readNewest({ ...context, query }, { endTimestamp: upTo })).time !== undefined;
  const first = await isThere();
  for (let others = 1; others < comparedResponses; others++) if ((await isThere()) !== first) return true;
  return false;
}

/** Behind one address, a node with a shorter history can respond while the node that has the records is behind. */
const unprovedError = (upTo: bigint, members: { block?: Block; cause?: PaginationError }): PaginationError =>
  new PaginationError(
    `${operation}: no response shows every record from ${upTo} on. ` +
      "Continue later, or use a node that has caught up and keeps them.",
    { operation, reason: "behind", ...members },
  );

/** The time of the newest record of a range, if any; of any account if the filter is too long for a list. */
async function readNewest(context: PollContext<Query>, dateRange: BalanceChangesDateRange = {}) {
  try {
    return await readNewestOf(context, dateRange);
  } catch (error) {
    if (!ArgumentError.is(error)) throw error;
    return readNewestOf({ ...context, query: {} }, dateRange);
  }
}

/** A page alone takes one request, and proves nothing. */
async function readNewestOf({ client, query, call }: PollContext<Query>, dateRange: BalanceChangesDateRange) {
  const newest = { ...query, dateRange, pagination: { first: 1 } };
  const listing = client.listBalanceChanges(newest, { ...call, maxItems: 1 });
  const timeOf = ([record]: readonly BalanceChange[]) => record && BigInt(record.timestamp);
  const { nodes, block } = await listing;
  if (block) return { time: timeOf(nodes), end: finalTime(block.timestamp), block };
  // A loop takes a response with block headers if any node of a pool sends them.
  return { time: timeOf(await listing.toArray()), ...(await coverageOf(listing, operation)) };
}

/** Scans a page of records; more if they do not lead beyond a checkpoint. */
async function scan(from: bigint, checkpoint: bigint, context: PollContext<Query>) {
  const { client, query, call, pageSize } = context;
  const dateRange = from > 0n ? { startTimestamp: from } : {};
  for (let maxItems = pageSize; ; maxItems *= 2) {
    const options = { ...call, maxItems, concurrency: 1, catchUp: 0 };
    const scan = client.scanBalanceChanges({ ...query, dateRange }, options);
    const records = await scan.toArray().catch((error: unknown) => {
      throw PaginationError.is(error) && error.reason === "gap" ? unprovedError(checkpoint, { cause: error }) : error;
    });
    const { start: completeFrom, end, block } = await coverageOf(scan, operation);
    const hasMore = records.length === maxItems;
    if (end > checkpoint || !hasMore) return { records, completeFrom, end, block, hasMore };
  }
}
