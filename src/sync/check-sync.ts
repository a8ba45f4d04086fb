import type { BalanceChange } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { PaginationError, VegaError } from "../errors/index.js";
import { maximum, minimum } from "../values/integers.js";
import { allTimes, BalanceTable, type TimeRange } from "./balance-table.js";
import { inBatches } from "./batches.js";
import { type ComparedDay, Comparison, isEqualDay, rangeOfDay } from "./comparison.js";
import { inTransaction, type SqlDatabase } from "./database.js";
import { hasRecord, Network } from "./network.js";
import { readBalances, type StoredBalances, type SyncBalances, type SyncOptions } from "./options.js";
import { Positions } from "./positions.js";
import { prepareDatabase } from "./schema.js";

/** Options of {@link checkSync}. */
export interface CheckSyncOptions
  extends Pick<SyncOptions, "pageSize" | "concurrency" | "catchUp" | "onBehind" | "signal"> {
  /** What was passed to `syncTo`. Default: all accounts. */
  balances?: SyncBalances | undefined;
  /** Whether the days that differ are read again from the node, and compared again. Default: false. */
  repair?: boolean | undefined;
}

/** What a comparison has found. */
export interface SyncComparison {
  /** How many records of the node were compared. */
  records: number;
  /** The range that was compared, in Unix nanoseconds. It begins with the history of the node, and ends with what is stored. */
  start: bigint;
  end: bigint;
  /** How many stored records are before the range: the node no longer keeps them, so that they were not compared. */
  uncompared: number;
  /** Each day that has records, with their number and their digest. */
  days: readonly ComparedDay[];
  /** The days that differ, or differed before they were repaired; empty if all are equal. */
  different: readonly ComparedDay[];
  /** Those that were read again and still differ: the node responds differently from one request to the next. */
  unrepaired: readonly ComparedDay[];
}

/** What waits in memory while records are compared. */
const maxBufferedBytes = 1024 * 1024;

/**
 * Compares the stored balance changes with those of a node, record by record, and returns the days that differ. The database equals
 * the node if `different` is empty and `uncompared` is 0.
 *
 * @throws {@link VegaError} if the balance changes of the filter were never stored, or if the node is of another network: nothing is
 * written then; `PaginationError` with the `reason` `"behind"` if the node has not reached the position of the database.
 * @example
 * ```ts no-run
 * const { different } = await checkSync(database, createClient({ baseUrl: "https://other.example" }));
 * for (const { day, missing, surplus } of different) console.warn(`${day}: ${missing} missing, ${surplus} too many`);
 * ```
 */
export async function checkSync(
  database: SqlDatabase,
  client: VegaClient,
  options: CheckSyncOptions = {},
): Promise<SyncComparison> {
  prepareDatabase(database);
  const { repair = false, onBehind, catchUp = 15_000, signal } = options;
  const balances = readBalances("checkSync", options.balances ?? {});
  const { filter, from } = balances;
  const positions = new Positions(database);
  const position = positions.get("balances", balances);
  if (position === undefined) {
    throw new VegaError("Expected a database in which these balance changes were stored. Call syncTo first.", {
      operation: "checkSync",
    });
  }
  const network = new Network(positions, "checkSync");
  const block = await network.checkBlock(client, signal);
  if (block && block.timestamp < position) onBehind?.({ block, position, catchUp });
  const table = new BalanceTable(database);
  // Records after the position are of another query, or of a node without block headers: those are compared in one direction.
  const last = table.newest(filter);
  const end = maximum(position, last === undefined ? position : BigInt(last.timestamp) + 1n);
  const reading: Reading = { table, client, options, balances, position };
  const { start, comparison } = await compare(reading, from ?? (await oldestOf(reading)) ?? end, end);
  const uncompared = table.count(filter, { start: from ?? allTimes.start, end: start });
  const { days, common } = comparison;
  const [stored, records] = [sum(days, "stored"), sum(days, "node")];
  const newest = table.newest({});
  if (common === 0 && newest && stored + records > 0 && !(await hasRecord(newest, client, signal))) {
    network.refuse(`the node has none of its ${stored} balance changes since ${start}, and ${records} others`);
  }
  const different = days.filter((day) => !isEqualDay(day));
  const unrepaired: ComparedDay[] = [];
  for (const { day } of repair ? different : []) {
    const whole = rangeOfDay(day);
    const range = { start: maximum(whole.start, start), end: minimum(whole.end, end) };
    await readAgain(database, reading, range);
    const again = await compare(reading, range.start, range.end);
    unrepaired.push(...again.comparison.days.filter((day) => !isEqualDay(day)));
  }
  return { records, start, end, uncompared, days, different, unrepaired };
}

/** What is compared, and with what. */
interface Reading {
  readonly table: BalanceTable;
  readonly client: VegaClient;
  readonly options: CheckSyncOptions;
  readonly balances: StoredBalances;
  /** Everything before it is stored. */
  readonly position: bigint;
}

const sum = (days: readonly ComparedDay[], side: "stored" | "node") =>
  days.reduce((records, day) => records + day[side].records, 0);

/** Replaces the stored records of a range by those of the node. */
async function readAgain(database: SqlDatabase, reading: Reading, { start, end }: TimeRange): Promise<void> {
  const { table, balances } = reading;
  let from = start;
  for await (const { records, upTo = end } of inBatches(scanOf(reading, start, end))) {
    inTransaction(database, () => {
      table.remove(balances.filter, { start: from, end: upTo });
      table.add(records);
    });
    from = upTo;
  }
}

function scanOf({ client, options, balances }: Reading, start: bigint, end: bigint) {
  const { pageSize = 1000, concurrency, catchUp, signal } = options;
  const dateRange = { startTimestamp: start, endTimestamp: end };
  const reading = { pageSize, concurrency, catchUp, maxBufferedBytes, signal };
  return client.scanBalanceChanges({ filter: balances.filter, dateRange }, reading);
}

/** The time of the oldest record that the node keeps, of any account; `undefined` if it keeps none. */
async function oldestOf({ client, options: { signal } }: Reading): Promise<bigint | undefined> {
  const [oldest] = await client.scanBalanceChanges({}, { maxItems: 1, signal }).toArray();
  return oldest && BigInt(oldest.timestamp);
}

/** Compares what the node keeps of a range, and returns where that begins. */
async function compare(reading: Reading, from: bigint, end: bigint) {
  const { start, records } = await openNode(reading, minimum(from, end), end);
  const comparison = new Comparison(reading.position);
  await comparison.compare(reading.table.read(reading.balances.filter, { start, end }), records);
  return { start, comparison };
}

/** Opens a scan of what the node keeps of a range. */
async function openNode(reading: Reading, from: bigint, end: bigint) {
  const open = (start: bigint) => scanOf(reading, start, end)[Symbol.asyncIterator]();
  const records = open(from);
  try {
    const first = await records.next();
    return { records: continued(first, records), start: from };
  } catch (error) {
    if (!PaginationError.is(error) || error.availableFrom === undefined) throw error;
    // A node without any record names no later time.
    const start = error.availableFrom > from ? minimum(error.availableFrom, end) : end;
    return { records: open(start), start };
  }
}

async function* continued(
  first: IteratorResult<BalanceChange, undefined>,
  rest: AsyncIterable<BalanceChange>,
): AsyncGenerator<BalanceChange, undefined, undefined> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
