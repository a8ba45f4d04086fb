import { operations } from "../../generated/operations.js";
import { toNanoseconds } from "../arguments/values.js";
import { ApiError, PaginationError } from "../errors/index.js";
import type { ListId } from "../pagination/list-operation.js";
import type { Listing, ListingOptions } from "../pagination/listing.js";
import { finalTime } from "../scan/timeline.js";
import type { Connection } from "./connection.js";
import { IncompleteError } from "./exit.js";
import type { ListPlan } from "./list-plan.js";
import { formatTime, type WireRecord } from "./output/columns.js";

/** A range of time in Unix nanoseconds. The start belongs to it, the end does not. */
export interface TimeRange {
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Returns a promise to wait for before the next record, if there is one. */
  readonly onRecord: (record: WireRecord) => Promise<void> | undefined;
}

/**
 * Reads the records of a plan. If the plan allows that records are missing, it reads what the node has, and returns why some are.
 *
 * @throws {@link IncompleteError} if the node does not have all records, and the plan does not allow that.
 */
export async function readRecords(
  connection: Connection,
  plan: ListPlan,
  range: TimeRange,
  { signal, onRecord }: ReadOptions,
): Promise<IncompleteError | undefined> {
  let yielded = 0;
  const read = async (missingHistory: "error" | "ignore") => {
    for await (const record of open(connection, plan, range, { signal, missingHistory })) {
      yielded++;
      const wait = onRecord(record);
      // Few records wait for a write. An `await` for each of them would double the time of a record.
      if (wait) await wait;
    }
  };
  try {
    await read("error");
    if (plan.isScan && yielded !== plan.limit) checkReached(connection, range.end ?? range.start);
    return undefined;
  } catch (error) {
    const incomplete = incompleteness(error, plan, range);
    if (incomplete === undefined) throw error;
    if (!plan.allowsIncomplete) throw incomplete;
    // Missing history is found before the first record, or when all have been read.
    if (isPruned(error) && yielded === 0) await read("ignore");
    return incomplete;
  }
}

/** The size of a page of a scan. Larger pages take more memory, and about as long. */
export const scanPageSize = 1000;

function open(
  { client }: Connection,
  plan: ListPlan,
  range: TimeRange,
  { signal, missingHistory }: { signal: AbortSignal; missingHistory: "error" | "ignore" },
): AsyncIterable<WireRecord> {
  const { id, query, isScan, isNewestFirst, limit, concurrency } = plan;
  const common = { signal, maxItems: limit };
  if (isScan) {
    const pageSize = plan.pageSize ?? scanPageSize;
    const dateRange = { startTimestamp: range.start, endTimestamp: range.end };
    const order = isNewestFirst ? "newest-first" : "oldest-first";
    return asRecords(
      client.scanBalanceChanges({ ...query, dateRange }, { ...common, order, pageSize, concurrency, missingHistory }),
    );
  }
  const list = client[id] as (argument: object, options: ListingOptions) => Listing<object>;
  const { defaultPageSize } = operations[id];
  const pagination = { first: plan.pageSize ?? defaultPageSize, newestFirst: isNewestFirst };
  return asRecords(list({ ...query, pagination }, common));
}

/** The interfaces of records have no index signature. */
const asRecords = (records: AsyncIterable<object>) => records as AsyncIterable<WireRecord>;

const isPruned = (error: unknown): error is PaginationError & { availableFrom: bigint } =>
  PaginationError.is(error) && error.availableFrom !== undefined;

/**
 * The error of a list that ends before its last record; `undefined` for any other error.
 *
 * @param file - The file that is compared with the node, if that is what the records are for.
 */
export function incompleteness(
  error: unknown,
  { id }: { id: ListId },
  { start }: TimeRange,
  file?: string,
): IncompleteError | undefined {
  if (isPruned(error)) {
    const from = formatTime(error.availableFrom);
    const advice =
      file === undefined
        ? `Use --from ${from}, a node that keeps a longer history, or --allow-incomplete to read what is left.`
        : `Only records from then on can be compared: export from ${from} on, or use a node that keeps a longer history.`;
    return new IncompleteError(
      `The balance changes of the node begin at ${from}, and the range begins at ${formatTime(start ?? 0n)}. ${advice}`,
      { cause: error },
    );
  }
  if (PaginationError.is(error) && (error.reason as string) === "behind") {
    return new IncompleteError(`The node is behind: ${error.message}`, { cause: error });
  }
  if (error instanceof IncompleteError) return error;
  // The first page came: the status is the node's response to its cursor, which v0.74 nodes reject for profiles.
  const { cursors }: { kind: string; cursors?: { timeMember?: string; rejectedWith?: number } } = operations[id];
  const isRejectedCursor = ApiError.is(error) && error.status === cursors?.rejectedWith && (error.pagesRead ?? 0) > 0;
  if (!isRejectedCursor && !PaginationError.is(error)) return undefined;
  const reason = PaginationError.is(error) ? error.reason : `status ${error.status} for the cursor of the next page`;
  return new IncompleteError(
    `The node has further records, but no request leads to them after ${error.itemsRead} records (${reason}). ` +
      "Use a larger --page-size, the other --order or a narrower filter; --allow-incomplete prints what was read.",
    { cause: error },
  );
}

/** The end of a range, and how far a node has come. */
export interface RangeEnd {
  /** Unix nanoseconds. */
  readonly end: bigint;
  /** Records before it are final. At most the end of the range. */
  readonly reached: bigint;
}

/**
 * Finds the end of a range with one request. An open one is the block that had begun when the node responded: records before it
 * are final.
 *
 * @throws {@link IncompleteError} if the node has not reached the start, or the end if the newest record comes first.
 */
export async function resolveEnd(
  { client }: Connection,
  { query, start, isNewestFirst }: ListPlan,
  end: bigint | undefined,
  signal: AbortSignal,
): Promise<RangeEnd> {
  const dateRange = { startTimestamp: start, endTimestamp: end };
  const pagination = { first: 1, newestFirst: true };
  const { nodes, block } = await client.listBalanceChanges({ ...query, dateRange, pagination }, { signal });
  if (block === undefined) {
    const [newest] = nodes;
    const open = newest === undefined ? (start ?? 0n) : toNanoseconds(newest.timestamp) + 1n;
    return { end: end ?? open, reached: end ?? open };
  }
  const final = finalTime(block.timestamp);
  if (start !== undefined && start > final) throw behindError(final, end ?? start);
  if (end === undefined || end <= final) return { end: end ?? final, reached: end ?? final };
  if (isNewestFirst) throw behindError(final, end);
  return { end, reached: final };
}

/**
 * Checks that the node had reached the end of a range when it sent its first response.
 *
 * @param time - A time that it must not have reached for the check to fail. Default: the end of the range.
 * @throws {@link IncompleteError} if it had not.
 */
export function checkReached({ nodes, blocks }: Connection, end: bigint | undefined, time = end): void {
  // A pool leaves out the responses of nodes that are behind others.
  const block = nodes.length > 1 ? blocks.latest : blocks.first;
  if (block === undefined || end === undefined || time === undefined) return;
  const reached = finalTime(block.timestamp);
  if (reached < end && reached <= time) throw behindError(reached, end);
}

/** The error of a node that has not reached the end of a range. */
export const behindError = (reached: bigint, end: bigint, options?: ErrorOptions): IncompleteError =>
  new IncompleteError(
    `The node is behind: it has reached ${formatTime(reached)}, and the range leads to ${formatTime(end)}.`,
    options,
  );
