import { operations } from "../../generated/operations.js";
import type { BalanceChangesDateRange, Pagination } from "../../generated/types.js";
import { ApiError, PaginationError } from "../errors/index.js";
import type { ListId } from "../pagination/list-operation.js";
import type { Listing, ListingOptions } from "../pagination/listing.js";
import type { Scan } from "../scan/scan.js";
import type { Coverage } from "../values/coverage.js";
import type { ConnectedClient } from "./connection.js";
import { IncompleteError } from "./exit.js";
import { readPageFlags, type Values } from "./flag-values.js";
import type { Io } from "./io.js";
import type { ListPlan } from "./list-plan.js";
import { printMessage } from "./message.js";
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

/** What was read. */
export interface ReadOutcome {
  /** Of a scan. */
  readonly coverage: Coverage | undefined;
  /** Why records are missing, if some are. */
  readonly incomplete: IncompleteError | undefined;
}

/**
 * Reads the records of a plan. If the plan allows that records are missing, it reads what the node has, and returns why some are.
 *
 * @throws {@link IncompleteError} if the node does not have all records, and the plan does not allow that.
 */
export async function readRecords(
  connection: ConnectedClient,
  plan: ListPlan,
  range: TimeRange,
  { signal, onRecord }: ReadOptions,
): Promise<ReadOutcome> {
  let yielded = 0;
  const read = async (part: Part) => {
    const limit = plan.limit && plan.limit - yielded;
    const records = plan.isScan
      ? openScan(connection, { ...plan, limit }, part, signal)
      : openList(connection, { ...plan, limit }, part, signal);
    // The interfaces of records have no index signature.
    for await (const record of records as AsyncIterable<object> as AsyncIterable<WireRecord>) {
      yielded++;
      const wait = onRecord(record);
      // Few records wait for a write. An `await` for each of them would double the time of a record.
      if (wait) await wait;
    }
    // That of a list that is read page by page is not part of its manifest.
    return plan.isScan ? records.coverage : undefined;
  };
  try {
    return { coverage: await read({ range }), incomplete: undefined };
  } catch (error) {
    const incomplete = incompleteness(error, plan, range);
    if (incomplete === undefined) throw error;
    if (!plan.allowsIncomplete) throw incomplete;
    if (isPruned(error)) return { coverage: await read(restOf(error, plan, range)), incomplete };
    return { coverage: plan.isScan && PaginationError.is(error) ? error.coverage : undefined, incomplete };
  }
}

/** The part of a list that is read. */
interface Part {
  readonly range: TimeRange;
  /** Where a list continues that is read page by page. */
  readonly pagination?: Pagination;
  readonly missingHistory?: "ignore";
}

/** What a node keeps of the rest of a range. */
function restOf(error: Pruned, { isScan }: ListPlan, { end }: TimeRange): Part {
  const { availableFrom, resume } = error;
  if (isScan) return { range: rangeOf(error), missingHistory: "ignore" };
  return { range: { start: availableFrom, end }, pagination: resume as Pagination };
}

/** The range that an error says is left. */
function rangeOf({ resume }: PaginationError): TimeRange {
  const { startTimestamp: start, endTimestamp: end } = (resume ?? {}) as BalanceChangesDateRange;
  return {
    start: start === undefined ? undefined : BigInt(String(start)),
    end: end === undefined ? undefined : BigInt(String(end)),
  };
}

/** The size of a page of a scan. Larger pages take more memory, and about as long. */
export const scanPageSize = 1000;
/** What waits in memory for a slow file, beside a page for each request: enough for two or three pages. */
export const maxBufferedBytes = 1024 * 1024;

/** The flags of how a scan is read, with its page size. */
export function readScanFlags(values: Values) {
  const { pageSize = scanPageSize, ...others } = readPageFlags(values);
  return { pageSize, ...others };
}

function openScan(
  { client }: ConnectedClient,
  plan: ListPlan,
  { range, missingHistory }: Part,
  signal: AbortSignal,
): Scan<object> {
  const { query, isNewestFirst, limit: maxItems, concurrency, catchUp, pageSize = scanPageSize } = plan;
  const dateRange = { startTimestamp: range.start, endTimestamp: range.end };
  const order = isNewestFirst ? "newest-first" : "oldest-first";
  const reading = { concurrency, catchUp, pageSize, maxBufferedBytes };
  const options = { order, maxItems, missingHistory, signal, ...reading } as const;
  return client.scanBalanceChanges({ ...query, dateRange }, options);
}

function openList({ client }: ConnectedClient, plan: ListPlan, part: Part, signal: AbortSignal): Listing<object> {
  const { id, query, isNewestFirst, limit: maxItems } = plan;
  const list = client[id] as (argument: object, options: ListingOptions) => Listing<object>;
  const { start: startTimestamp, end: endTimestamp } = part.range;
  const first = plan.pageSize ?? operations[id].defaultPageSize;
  const pagination = part.pagination ?? { first, newestFirst: isNewestFirst };
  const dateRange = "dateRange" in query && { dateRange: { startTimestamp, endTimestamp } };
  return list({ ...query, ...dateRange, pagination }, { maxItems, signal });
}

type Pruned = PaginationError & { readonly availableFrom: bigint };

const isPruned = (error: unknown): error is Pruned => PaginationError.is(error) && error.availableFrom !== undefined;

/** Whether a list is incomplete because no node has reached its end: it can be continued later. */
export const isBehind = ({ cause }: IncompleteError): boolean => PaginationError.is(cause) && cause.reason === "behind";

/**
 * The error of a list that ends before its last record; `undefined` for any other error.
 *
 * @param file - The file that is compared with the node, if that is what the records are for.
 */
export function incompleteness(
  error: unknown,
  { id }: { id: ListId },
  { start, end }: TimeRange,
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
  if (PaginationError.is(error) && error.reason === "behind") {
    const { block } = error;
    const reached = block
      ? `has reached ${formatTime(block.timestamp)}`
      : "names no block, unlike in earlier responses";
    const { end: last = end } = rangeOf(error);
    const wanted =
      last !== undefined
        ? `the range leads to ${formatTime(last)}`
        : start !== undefined
          ? `the range begins at ${formatTime(start)}`
          : "an earlier response was of a later block";
    return new IncompleteError(`The node is behind: it ${reached}, and ${wanted}.`, { cause: error });
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

/** The end of a range, and what shows that a node has reached it. */
export interface RangeEnd {
  /** Unix nanoseconds. */
  readonly end: bigint;
  /** `undefined` if nothing has shown it yet. */
  readonly block: Coverage["block"];
}

/**
 * Finds the end of a range before its records are read: an open one, and that of a range whose newest record comes first.
 *
 * @throws {@link IncompleteError} if no node has reached it.
 */
export async function findEnd(connection: ConnectedClient, plan: ListPlan, signal: AbortSignal): Promise<RangeEnd> {
  const { start, end, isNewestFirst } = plan;
  if (end !== undefined && !isNewestFirst) return { end, block: undefined };
  // Missing history is found by the scan itself.
  const scan = openScan(
    connection,
    { ...plan, isNewestFirst: true, limit: 1 },
    { range: { start, end }, missingHistory: "ignore" },
    signal,
  ) as Scan<{ timestamp: string }>;
  try {
    const [newest] = await scan.toArray();
    const { end: covered, block } = await scan.coverage;
    const shown = newest === undefined ? (start ?? 0n) : BigInt(newest.timestamp) + 1n;
    return { end: end ?? covered ?? shown, block };
  } catch (error) {
    throw incompleteness(error, plan, plan) ?? error;
  }
}

/** Says if nothing shows that the node had reached the end of a range. */
export function warnOfEnd(io: Io, coverage: Coverage | undefined): void {
  if (coverage === undefined || coverage.end !== undefined) return;
  printMessage(
    io,
    "Warning: the responses name no block, so it is unknown whether the node had reached the end of the range. Newer " +
      "records can be missing.",
  );
}
