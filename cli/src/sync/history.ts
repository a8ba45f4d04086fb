/** Reads the history of balance changes in batches, each proved before it is stored. */
import { type BalanceChange, PaginationError } from "vegaprotocol-client";
import { ExitError, IncompleteError } from "../errors.js";
import { finalTime, formatTime } from "../times.js";
import type { BalancesQuery, Checkpoint } from "./destination.js";
import { checkJoin, type Run, store, unprovedError } from "./run.js";

/** Stores batches up to the newest block, and yields the range that is stored then. */
export async function* scanHistory(run: Run, query: BalancesQuery, stored: Checkpoint | undefined) {
  const { destination, client, options, signal, limit } = run;
  const { filter } = query;
  const newest = stored && (await limit(() => destination.newest(filter, stored.position)));
  // Another query can have stored records before the start, and not those that follow them.
  const known = newest && BigInt(newest.timestamp) >= stored.start ? BigInt(newest.timestamp) : undefined;
  if (stored && known === undefined) {
    const dateRange = { startTimestamp: stored.start, endTimestamp: stored.position };
    const first = { ...options.scan, maxItems: 1, missingHistory: "ignore", signal } as const;
    const scan = client.scanBalanceChanges({ filter, dateRange }, first);
    for await (const { timestamp } of scan) throw lostError(timestamp, stored.position);
  }
  let checkpoint = stored;
  let next: BatchStart | undefined = { from: stored?.position ?? query.from, known };
  while (next) {
    const { records, start, end, hasMore } = await readBatch(run, query, next);
    if (checkpoint) checkJoin(checkpoint, start);
    if (end === undefined) return;
    if (checkpoint && end <= checkpoint.position && records.length === 0) {
      // A scan with an end waits for a node that is behind, and rejects if it stays so.
      const range = { startTimestamp: end, endTimestamp: checkpoint.position };
      await client.scanBalanceChanges({ filter, dateRange: range }, { ...options.scan, signal }).toArray();
      options.onStored?.({ list: "balances", query, records: 0, checkpoint });
      return;
    }
    if (checkpoint === undefined && start >= end) {
      if (records.some(({ timestamp }) => BigInt(timestamp) < end)) throw unprovedError();
      // A later run, or another node, can find earlier records.
      if (isMissing(run, query))
        throw new IncompleteError(
          "The node's first response has a balance change, and later ones have none. Run sync again, or use another node.",
        );
      options.onStored?.({ list: "balances", query, records: 0, checkpoint });
      return;
    }
    checkpoint = { start: checkpoint?.start ?? start, position: end };
    await store(run, { list: "balances", query, records, checkpoint });
    yield checkpoint;
    next = hasMore ? { from: end, known: end } : undefined;
  }
}

interface BatchStart {
  from: bigint | undefined;
  /** The time of a record before, with which the response must begin. Default: the scan begins at `from`. */
  known: bigint | undefined;
}

/**
 * Reads the balance changes from a time on, by a scan of its own: its coverage proves the batch before it is stored.
 *
 * @param size - How many records are read, those of the last time not included.
 * @returns the range in which the records are complete. Without block headers, the last block can have further ones.
 */
async function readBatch(
  run: Run,
  query: BalancesQuery,
  { from, known }: BatchStart,
  size = run.options.batchSize ?? 30_000,
): Promise<{ records: BalanceChange[]; start: bigint; end: bigint | undefined; hasMore: boolean }> {
  const { client, options, signal, block } = run;
  // A scan that begins at the newest block would wait for the next one.
  if (known === undefined && from !== undefined && block && from === finalTime(block.timestamp))
    return { records: [], start: from, end: from, hasMore: false };
  const range = { filter: query.filter, dateRange: { startTimestamp: known ?? from } };
  const scan = client.scanBalanceChanges(range, { ...options.scan, maxItems: size, signal });
  const found = await scan.toArray().catch((error: unknown) => {
    const { availableFrom } = PaginationError.is(error) ? error : {};
    if (known === undefined || availableFrom === undefined || availableFrom > (from ?? 0n)) throw error;
  });
  // The nodes may have dropped the newest stored record, and keep all that follows.
  if (found === undefined) return readBatch(run, query, { from, known: undefined }, size);
  const [first, last] = [found[0], found.at(-1)];
  if (known !== undefined && BigInt(first?.timestamp ?? 0) !== known) {
    throw new PaginationError(
      `The response does not begin with the newest stored balance change, at ${formatTime(known)}. The node may have dropped newer ` +
        "records. Run sync again, or use a node that keeps a longer history.",
      { operation: "listBalanceChanges", reason: "gap" },
    );
  }
  const next = known === undefined ? undefined : found.find(({ timestamp }) => BigInt(timestamp) > known);
  if (next && from !== undefined && BigInt(next.timestamp) < from) throw lostError(next.timestamp, from);
  const hasMore = found.length === size;
  if (hasMore && first?.timestamp === last?.timestamp) return readBatch(run, query, { from, known }, 2 * size);
  const { start, end = last ? BigInt(last.timestamp) : from } = await scan.coverage;
  const isNew = ({ timestamp }: BalanceChange) =>
    BigInt(timestamp) >= (from ?? 0n) && !(hasMore && timestamp === last?.timestamp);
  return { records: found.filter(isNew), start, end, hasMore };
}

/** A backup that was restored in part has its checkpoint without the records before it. */
const lostError = (time: string, position: bigint): ExitError =>
  new ExitError(
    `The stored records are incomplete: the node has a balance change at ${formatTime(time)} that they lack, although they should be ` +
      `complete up to ${formatTime(position)}. Restore the whole backup, or make a new copy.`,
  );

/** Whether the first response has shown that there are balance changes of a query. */
const isMissing = ({ last, block }: Run, { filter, from = 0n }: BalancesQuery): boolean =>
  last !== undefined &&
  Object.keys(filter).length === 0 &&
  BigInt(last.timestamp) >= from &&
  (block === undefined || BigInt(last.timestamp) < finalTime(block.timestamp));
