/** Reads the records of a list, as a scan by time or page by page, and explains what is missing. */
import {
  ApiError,
  type BalanceChangesDateRange,
  type Coverage,
  type Listing,
  type ListingOptions,
  type Page,
  type Pagination,
  PaginationError,
  type Scan,
  type VegaClient,
} from "vegaprotocol-client";
import { IncompleteError } from "./errors.js";
import type { PageFlags } from "./flags.js";
import { type Io, printMessage } from "./io.js";
import { isScannable, type ListId, listOperation } from "./operations.js";
import { formatTime, type WireRecord } from "./output/cells.js";

export interface Reading extends PageFlags {
  readonly id: ListId;
  /** The argument of the client's method, without pagination and without the range of time. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The range of time of a list that has one, in Unix nanoseconds. The end does not belong to it. */
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  readonly isNewestFirst: boolean;
  readonly limit: number | undefined;
  readonly allowsIncomplete: boolean;
}

interface ReadOptions {
  readonly signal: AbortSignal;
  /** Returns a promise to wait for before the next record, if there is one. */
  readonly onRecord: (record: WireRecord) => Promise<void> | undefined;
}

export interface Outcome {
  readonly coverage: Coverage | undefined;
  readonly incomplete: IncompleteError | undefined;
}

/**
 * Reads all records. If the reading allows that records are missing, it reads what the node has, and returns why some are.
 *
 * @throws {@link IncompleteError} if the node does not have all records, and the reading does not allow that.
 */
export async function readRecords(client: VegaClient, reading: Reading, options: ReadOptions): Promise<Outcome> {
  const isScan = isScannable(reading.id);
  let left = reading.limit;
  const read = async (part: { start?: bigint | undefined; end?: bigint | undefined; missingHistory?: "ignore" }) => {
    const rest = { ...reading, ...part, limit: left };
    const records = isScan ? openScan(client, rest, options) : openList(client, rest, options);
    // The interfaces of records have no index signature.
    for await (const record of records as AsyncIterable<object> as AsyncIterable<WireRecord>) {
      if (left !== undefined) left--;
      const wait = options.onRecord(record);
      // Few records wait for a write. An `await` for each of them would double the time of a record.
      if (wait) await wait;
    }
    return isScan ? (records as Scan<object>).coverage : undefined;
  };
  try {
    return { coverage: await read({}), incomplete: undefined };
  } catch (error) {
    const incomplete = incompleteness(error, reading);
    if (incomplete === undefined) throw error;
    if (!reading.allowsIncomplete) throw incomplete;
    if (!isPruned(error)) return { coverage: undefined, incomplete };
    return { coverage: await read({ ...rangeOf(error.resume), missingHistory: "ignore" }), incomplete };
  }
}

/** The range that an error says is left. */
function rangeOf({ startTimestamp, endTimestamp }: BalanceChangesDateRange = {}) {
  const [start, end] = [startTimestamp, endTimestamp].map((time) =>
    time === undefined ? undefined : BigInt(String(time)),
  );
  return { start, end };
}

/** The size of a page of a scan. Larger pages take more memory, and about as long. */
export const scanPageSize = 1000;

function openScan(client: VegaClient, part: Reading & { missingHistory?: "ignore" }, { signal }: ReadOptions) {
  const { query, start, end, limit, concurrency, catchUp, pageSize = scanPageSize, missingHistory } = part;
  const dateRange = { startTimestamp: start, endTimestamp: end };
  const order = part.isNewestFirst ? "newest-first" : "oldest-first";
  const options = { order, maxItems: limit, concurrency, catchUp, pageSize, missingHistory, signal } as const;
  return client.scanBalanceChanges({ ...query, dateRange }, options) as Scan<object>;
}

function openList(client: VegaClient, { id, query, ...reading }: Reading, { signal }: ReadOptions) {
  const list = client[id] as (argument: object, options: ListingOptions) => Listing<object>;
  const first = reading.pageSize ?? listOperation(id).defaultPageSize;
  const pagination: Pagination = { first, newestFirst: reading.isNewestFirst };
  return list({ ...query, pagination }, { maxItems: reading.limit, signal });
}

type Pruned = PaginationError & { readonly availableFrom: bigint };

const isPruned = (error: unknown): error is Pruned => PaginationError.is(error) && error.availableFrom !== undefined;

/** The error of a list that ends before its last record; `undefined` for any other error. */
function incompleteness(error: unknown, { id, start, end }: Reading): IncompleteError | undefined {
  if (isPruned(error)) {
    const from = formatTime(error.availableFrom);
    return new IncompleteError(
      `The balance changes of the node begin at ${from}, and the range begins at ${formatTime(start ?? 0n)}. ` +
        `Use --from ${from}, a node that keeps a longer history, or --allow-incomplete to read what is left.`,
      error,
    );
  }
  if (PaginationError.is(error) && error.reason === "behind") {
    const { block, resume } = error;
    const reached = block ? `has reached ${formatTime(block.timestamp)}` : "names no block, unlike before";
    const last = rangeOf(resume).end ?? end;
    const to = last !== undefined && `the range leads to ${formatTime(last)}`;
    const from = start !== undefined && `the range begins at ${formatTime(start)}`;
    const wanted = to || from || "an earlier response was of a later block";
    return new IncompleteError(`The node is behind: it ${reached}, and ${wanted}.`, error);
  }
  // The first page came: the status is the node's response to its cursor, which v0.74 nodes reject for profiles.
  const { cursors } = listOperation(id);
  const isRejectedCursor = ApiError.is(error) && error.status === cursors?.rejectedWith && (error.pagesRead ?? 0) > 0;
  if (!isRejectedCursor && !PaginationError.is(error)) return undefined;
  const reason = PaginationError.is(error) ? error.reason : `status ${error.status} for the cursor of the next page`;
  return new IncompleteError(
    `The node has further records, but no request leads to them after ${error.itemsRead} records (${reason}). ` +
      "Use a larger --page-size, the other --order or a narrower filter; --allow-incomplete prints what was read.",
    error,
  );
}

/** The largest page of a node. */
export const largestPage = 5000;

/**
 * Reads a list with the oldest record first, so that no vote is missed that is cast again meanwhile. Of a list of which nodes show
 * only the first page from either end (profiles, observed on v0.74 and v0.79 nodes), both are read.
 *
 * @returns the records, with the pages that they are from, and the records on both sides of what no request leads to.
 */
export async function readWhole(client: VegaClient, id: ListId, query: object, options: ListingOptions) {
  const list = client[id] as unknown as (argument: object, options: ListingOptions) => Listing<WireRecord>;
  const open = (newestFirst: boolean) => list({ ...query, pagination: { first: largestPage, newestFirst } }, options);
  const { naturalKey, cursors } = listOperation(id);
  const keyOf = (record: WireRecord) =>
    naturalKey.map((name) => (name === "timestamp" ? "" : JSON.stringify(record[name]))).join();
  const records = new Map<string, WireRecord>();
  const pages: Page<WireRecord>[] = [];
  let gap: [WireRecord, WireRecord] | undefined;
  try {
    for await (const page of open(false).pages()) {
      for (const record of page.nodes) records.set(keyOf(record), record);
      pages.push(page);
    }
  } catch (error) {
    if (!ApiError.is(error) || error.status !== cursors?.rejectedWith || !error.pagesRead) throw error;
    const last = [...records.values()].at(-1);
    const page = await open(true);
    const { nodes, pageInfo } = page;
    const first = nodes.at(-1);
    if (pageInfo?.hasNextPage && last && first && !nodes.some((record) => records.has(keyOf(record))))
      gap = [last, first];
    for (const record of nodes) records.set(keyOf(record), record);
    pages.push(page);
  }
  return { records: [...records.values()], pages, gap };
}

/** Warns if nothing shows that the node had reached the end of a range. */
export function warnOfEnd(io: Io, coverage: Coverage | undefined): void {
  if (coverage === undefined || coverage.end !== undefined) return;
  printMessage(
    io,
    "Warning: the responses name no block, so it is unknown whether the node had reached the end of the range. Newer " +
      "records can be missing.",
  );
}
