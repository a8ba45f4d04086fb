/** Reads the records of a list, as a scan by time or page by page, and explains missing records. */
import {
  ApiError,
  type Block,
  type Coverage,
  type Listing,
  type ListingOptions,
  type Page,
  PaginationError,
  toNanoseconds,
  type VegaClient,
} from "vegaprotocol-client";
import { IncompleteError } from "./errors.js";
import type { Flags } from "./flags.js";
import { isScannable, type ListId, largestPage, listOperation } from "./operations.js";
import type { WireRecord } from "./output/columns.js";
import { formatTime } from "./times.js";

export interface Reading extends Pick<Flags, "pageSize" | "concurrency" | "catchUp"> {
  readonly id: ListId;
  /** The argument of the client's method, without pagination and without the range of time. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The range of time of a list that has one, in Unix nanoseconds. The end does not belong to it. */
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  readonly isNewestFirst: boolean;
  readonly limit: number | undefined;
}

/** The size of a page of a scan. Larger pages take more memory, and about as long. */
export const scanPageSize = 1000;

/** Opens a list by its name: the methods of the client have interfaces of records, which have no index signature. */
export function openList(client: VegaClient, id: ListId, argument: object, options: ListingOptions) {
  const method = client[id] as unknown as (argument: object, options: ListingOptions) => Listing<WireRecord>;
  return method(argument, options);
}

export const leaveOutTo = " Leave out --to for the newest complete block.";

/** @param onRecord - Returns a promise to wait for before the next record, if there is one. */
export async function readRecords(
  client: VegaClient,
  reading: Reading,
  signal: AbortSignal,
  onRecord: (record: WireRecord) => Promise<void> | undefined,
): Promise<Coverage | undefined> {
  const { id, query, start, end, limit, isNewestFirst, concurrency, catchUp, pageSize = scanPageSize } = reading;
  const dateRange = { startTimestamp: start, endTimestamp: end };
  const order = isNewestFirst ? "newest-first" : "oldest-first";
  const options = { order, maxItems: limit, concurrency, catchUp, pageSize, signal } as const;
  const scan = isScannable(id) ? client.scanBalanceChanges({ ...query, dateRange }, options) : undefined;
  try {
    const records = scan ?? readList(client, reading, signal);
    for await (const record of records as AsyncIterable<object> as AsyncIterable<WireRecord>) {
      const wait = onRecord(record);
      // Few records wait for a write. An `await` for each of them would double the time of a record.
      if (wait) await wait;
    }
    return await scan?.coverage;
  } catch (error) {
    throw explain(error, reading);
  }
}

async function* readList(client: VegaClient, { id, query, limit, ...reading }: Reading, signal: AbortSignal) {
  const { cursors, defaultPageSize } = listOperation(id);
  if (cursors?.rejectedWith !== undefined) {
    const { records, gap } = await readWhole(client, id, query, { signal });
    if (gap && (limit === undefined || limit > largestPage)) {
      throw new IncompleteError(`${gap.message} Pass --party for some of them, or -n with at most ${largestPage}.`);
    }
    return yield* (reading.isNewestFirst ? records.reverse() : records).slice(0, limit);
  }
  const pagination = { first: reading.pageSize ?? defaultPageSize, newestFirst: reading.isNewestFirst };
  yield* openList(client, id, { ...query, pagination }, { maxItems: limit, signal });
}

/** @param advice - How to read up to the block that a node has reached. */
export function explain(
  error: unknown,
  { start, end }: Partial<Reading>,
  advice = end === undefined ? "" : leaveOutTo,
): unknown {
  // A copy that ends before the range.
  if (error instanceof IncompleteError && advice !== "") return new IncompleteError(error.message + advice, error);
  if (!PaginationError.is(error)) return error;
  const { availableFrom, block, reason, resume } = error;
  if (availableFrom !== undefined) {
    const dropped = `The node dropped records during the reading. The records are complete from ${formatTime(availableFrom)} on.`;
    const late = startsLate(availableFrom, start, end, "node", error);
    return late ?? new IncompleteError(`${dropped} Run the command again.`, error);
  }
  if (reason === "behind") {
    const to = end ?? resume?.dateRange?.endTimestamp;
    const isLater = start !== undefined && block !== undefined && start > block.timestamp;
    const from = isLater ? `, and the range begins at ${formatTime(start)}` : "";
    const wanted = to === undefined ? from : `, and the range ends at ${formatTime(String(to))}`;
    // A range that begins after the block needs another start.
    return behindError(block, wanted, error, block?.height && (!isLater || start === end) ? advice : "");
  }
  // A query of the node can have failed, or another node has responded.
  const isTransient = reason === "gap";
  return new IncompleteError(
    `The node has further records, but no request leads to them after ${error.itemsRead} records (${reason}). ` +
      (isTransient
        ? "Run the command again, or use another node."
        : "Use a larger --page-size, the other --order or a narrower filter."),
    error,
  );
}

/** @param wanted - The time or block that the node should have reached: ", and …". */
export function behindError(block: Block | undefined, wanted: string, cause?: Error, advice = ""): IncompleteError {
  const reached = block?.height
    ? `it has reached ${formatTime(block.timestamp)}`
    : "it has no block yet, or sends no block headers";
  return new IncompleteError(`The node is behind: ${reached}${wanted}.${advice}`, cause);
}

/**
 * Reads a list with the oldest record first, so that votes cast again in the meantime are not missed. v0.74 and
 * v0.79 nodes show only the first page of profiles from either end: both are read.
 *
 * @returns the records, their pages, and the error of a gap between them that no request reaches.
 */
export async function readWhole(client: VegaClient, id: ListId, query: object, options: ListingOptions) {
  const open = (newestFirst: boolean) =>
    openList(client, id, { ...query, pagination: { first: largestPage, newestFirst } }, options);
  const { naturalKey, cursors } = listOperation(id);
  const keyOf = (record: WireRecord) =>
    naturalKey.map((name) => (name === "timestamp" ? "" : JSON.stringify(record[name]))).join();
  const records = new Map<string, WireRecord>();
  const pages: Page<WireRecord>[] = [];
  let gap: IncompleteError | undefined;
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
    if (pageInfo?.hasNextPage && last && first && !nodes.some((record) => records.has(keyOf(record)))) {
      const others = `not those between party ${last["partyId"]} and party ${first["partyId"]}`;
      gap = new IncompleteError(`The node shows the first and the last ${largestPage} records only, ${others}.`);
    }
    for (const record of [...nodes].reverse()) records.set(keyOf(record), record);
    pages.push(page);
  }
  return { records: [...records.values()], pages, gap };
}

/** The time of the block that a cursor of a node names, in Unix nanoseconds (observed on v0.74 nodes). */
export function timeIn(cursor: string, timeMember: string): bigint | undefined {
  try {
    return toNanoseconds(JSON.parse(atob(cursor))[timeMember]);
  } catch {
    return undefined;
  }
}

export async function historyStart(client: VegaClient, signal: AbortSignal | undefined): Promise<bigint | undefined> {
  const pagination = { first: 1, newestFirst: false };
  const [oldest] = await client.listBalanceChanges({ pagination }, { maxItems: 1, signal }).toArray();
  return oldest && BigInt(oldest.timestamp);
}

/** The error of records that are complete only from a time after the start of their range. */
export function startsLate(
  start: bigint,
  from: bigint | undefined,
  end?: bigint,
  source: "node" | "copy" = "node",
  cause?: Error,
): IncompleteError | undefined {
  if (from === undefined || start <= from) return undefined;
  const at = formatTime(start);
  const advice = `Use ${end === undefined || start < end ? `--from ${at}, or ` : ""}a ${source} that keeps a longer history.`;
  return new IncompleteError(
    `The records are complete from ${at} on, and the range begins at ${formatTime(from)}. ${advice}`,
    cause,
  );
}

/** The note of a page, which prints the times itself. There is none for an empty range. */
export const coverageNotes = (start = 0n, end = 0n): string[] =>
  start < end ? [`The records are complete from ${start} to ${end}.`] : [];

/** Why records may be missing before the end of a range; `undefined` if its node is shown to have reached it. */
export function unprovenEnd(coverage: Coverage | undefined, end: bigint): string | undefined {
  if (coverage === undefined || coverage.end !== undefined) return undefined;
  return (
    `The responses have no block headers, so nothing shows that the node has reached ${formatTime(end)}. ` +
    "Use a node or a proxy that sends them."
  );
}
