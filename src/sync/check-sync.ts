import type { BalanceChangesFilter } from "../../generated/client.js";
import type { BalanceChange } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { PaginationError, VegaError } from "../errors/index.js";
import { maximum, minimum } from "../values/integers.js";
import { BalanceTable } from "./balance-table.js";
import { inBatches } from "./batches.js";
import { type ComparedDay, Comparison, isEqualDay, rangeOfDay } from "./comparison.js";
import { inTransaction, type SqlDatabase } from "./database.js";
import { Network } from "./network.js";
import { readBalances, type SyncBalances, type SyncOptions } from "./options.js";
import { Positions } from "./positions.js";
import { prepareDatabase } from "./schema.js";

/** Options of {@link checkSync}. */
export interface CheckSyncOptions extends Pick<SyncOptions, "pageSize" | "concurrency" | "catchUp" | "signal"> {
  /** What was passed to `syncTo`. Default: all accounts. */
  balances?: SyncBalances | undefined;
  /** Whether the days that differ are read again from the node, and compared again. Default: false. */
  repair?: boolean | undefined;
}

/** What a comparison has found. */
export interface SyncComparison {
  /** How many records of the node were compared. */
  records: number;
  /** The range that was compared, in Unix nanoseconds. What the node no longer keeps is not part of it. */
  start: bigint;
  end: bigint;
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
 * Compares the balance changes of a database with those of a node, record by record, and says which days differ.
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
  const { repair = false, signal } = options;
  const balances = readBalances("checkSync", options.balances ?? {});
  const { filter } = balances;
  const positions = new Positions(database);
  const position = positions.get("balances", balances);
  if (position === undefined) {
    throw new VegaError("Expected a database in which these balance changes were stored. Call syncTo first.", {
      operation: "checkSync",
    });
  }
  const network = new Network(positions, "checkSync");
  await network.checkBlock(client, signal);
  const reading: Reading = { table: new BalanceTable(database), client, options, filter };
  const { start, comparison } = await compare(reading, balances.from, position);
  const { days, common } = comparison;
  const [stored, records] = [sum(days, "stored"), sum(days, "node")];
  if (stored > 0 && common === 0) {
    network.refuse(`the node has none of its ${stored} balance changes since ${start}, and ${records} others`);
  }
  const different = days.filter((day) => !isEqualDay(day));
  const unrepaired: ComparedDay[] = [];
  for (const { day } of repair ? different : []) {
    const whole = rangeOfDay(day);
    const range = { start: maximum(whole.start, start), end: minimum(whole.end, position) };
    await readAgain(database, reading, range.start, range.end);
    const again = await compare(reading, range.start, range.end);
    unrepaired.push(...again.comparison.days.filter((day) => !isEqualDay(day)));
  }
  return { records, start, end: position, days, different, unrepaired };
}

/** What is compared, and with what. */
interface Reading {
  readonly table: BalanceTable;
  readonly client: VegaClient;
  readonly options: CheckSyncOptions;
  readonly filter: BalanceChangesFilter;
}

const sum = (days: readonly ComparedDay[], side: "stored" | "node") =>
  days.reduce((records, day) => records + day[side].records, 0);

/** Replaces the stored records of a range by those of the node. */
async function readAgain(database: SqlDatabase, reading: Reading, start: bigint, end: bigint): Promise<void> {
  const { table, filter } = reading;
  let from = start;
  for await (const { records, upTo = end } of inBatches(scanOf(reading, start, end))) {
    inTransaction(database, () => {
      table.remove(filter, { start: from, end: upTo });
      table.add(records);
    });
    from = upTo;
  }
}

function scanOf({ client, options, filter }: Reading, start: bigint | undefined, end: bigint) {
  const { balances: _, repair: __, pageSize = 1000, ...others } = options;
  const dateRange = { startTimestamp: start, endTimestamp: end };
  return client.scanBalanceChanges({ filter, dateRange }, { pageSize, maxBufferedBytes, ...others });
}

/** Compares what the node keeps of a range, and returns where that begins. */
async function compare(reading: Reading, from: bigint | undefined, end: bigint) {
  const { start, records } = await openNode(reading, from, end);
  const comparison = new Comparison();
  await comparison.compare(reading.table.read(reading.filter, { start, end }), records);
  return { start, comparison };
}

/** Opens a scan of what the node keeps. An open start is the time of its oldest record. */
async function openNode(reading: Reading, start: bigint | undefined, end: bigint) {
  const open = (from: bigint | undefined) => scanOf(reading, from, end)[Symbol.asyncIterator]();
  const records = open(start);
  try {
    const first = await records.next();
    return { records: continued(first, records), start: start ?? BigInt(first.value?.timestamp ?? end) };
  } catch (error) {
    if (!PaginationError.is(error) || error.availableFrom === undefined) throw error;
    return { records: open(error.availableFrom), start: error.availableFrom };
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
