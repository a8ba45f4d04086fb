import type { BalanceChange } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { PaginationError, VegaError } from "../errors/index.js";
import { compareRecords } from "../scan/record-order.js";
import { toNanoseconds } from "../values/times.js";
import { BalanceTable } from "./balance-table.js";
import { inTransaction, type SqlDatabase } from "./database.js";
import type { SyncBalances, SyncOptions } from "./options.js";
import { Positions } from "./positions.js";
import { prepareDatabase } from "./schema.js";

/** Options of {@link checkSync}. */
export interface CheckSyncOptions extends Pick<SyncOptions, "pageSize" | "concurrency" | "catchUp" | "signal"> {
  /** What was passed to `syncTo`. Default: all accounts. */
  balances?: SyncBalances | undefined;
  /** Whether the days that differ are read again from the node. Default: false. */
  repair?: boolean | undefined;
}

/** A day whose balance changes differ. */
export interface DifferentDay {
  /** As in `2024-02-09`, in UTC. */
  day: string;
  /** How many records the database has that the node does not have, or has with another balance. */
  surplus: number;
  /** How many records the node has that the database does not have, or has with another balance. */
  missing: number;
}

/** What a comparison has found. */
export interface SyncComparison {
  /** How many records of the node were compared. */
  records: number;
  /** The range that was compared, in Unix nanoseconds. What the node no longer keeps is not part of it. */
  start: bigint;
  end: bigint;
  /** The days that differ, or differed before they were repaired; empty if all are equal. */
  days: readonly DifferentDay[];
}

/** What waits in memory while records are compared. */
const maxBufferedBytes = 4 * 1024 * 1024;
const dayLength = 86_400_000_000_000n;

/**
 * Compares the balance changes of a database with those of a node, record by record, and says which days differ.
 *
 * @throws {@link VegaError} if the balance changes of the filter were never stored; `PaginationError` with the `reason` `"behind"` if
 * the node has not reached the position of the database.
 * @example
 * ```ts no-run
 * const { days } = await checkSync(database, createClient({ baseUrl: "https://other.example" }));
 * for (const { day, missing, surplus } of days) console.warn(`${day}: ${missing} missing, ${surplus} too many`);
 * ```
 */
export async function checkSync(
  database: SqlDatabase,
  client: VegaClient,
  options: CheckSyncOptions = {},
): Promise<SyncComparison> {
  prepareDatabase(database);
  const { balances = {}, repair = false } = options;
  const position = new Positions(database).get("balances", balances);
  if (position === undefined) {
    throw new VegaError("Expected a database in which these balance changes were stored. Call syncTo first.", {
      operation: "checkSync",
    });
  }
  const comparison = await compare(database, client, position, options);
  if (!repair) return comparison;
  const table = new BalanceTable(database);
  for (const { day } of comparison.days) {
    const first = toNanoseconds(`${day}T00:00:00Z`);
    const start = first > comparison.start ? first : comparison.start;
    const end = first + dayLength < position ? first + dayLength : position;
    const records = await scanOf(client, options, start, end).toArray();
    inTransaction(database, () => {
      table.remove(balances.filter ?? {}, start, end);
      table.add(records);
    });
  }
  return comparison;
}

function scanOf(client: VegaClient, options: CheckSyncOptions, start: bigint | undefined, end: bigint) {
  const { balances, repair: _, pageSize = 1000, ...others } = options;
  const dateRange = { startTimestamp: start, endTimestamp: end };
  return client.scanBalanceChanges({ filter: balances?.filter, dateRange }, { pageSize, maxBufferedBytes, ...others });
}

async function compare(
  database: SqlDatabase,
  client: VegaClient,
  end: bigint,
  options: CheckSyncOptions,
): Promise<SyncComparison> {
  const { filter = {}, from } = options.balances ?? {};
  const { start, records, first } = await openNode(client, options, from && toNanoseconds(from), end);
  const stored = new BalanceTable(database).read(filter, start, end);
  const days = new Map<string, DifferentDay>();
  const note = ({ timestamp }: BalanceChange, kind: "surplus" | "missing") => {
    const day = new Date(Number(BigInt(timestamp) / 1_000_000n)).toISOString().slice(0, 10);
    const found = days.get(day) ?? { day, surplus: 0, missing: 0 };
    found[kind]++;
    days.set(day, found);
  };
  let count = 0;
  let [own, other] = [stored.next(), first];
  while (!own.done || !other.done) {
    const order = own.done ? 1 : other.done ? -1 : compareRecords(own.value, other.value);
    const isEqual = order === 0 && own.value?.balance === other.value?.balance;
    if (!own.done && order <= 0) {
      if (!isEqual) note(own.value, "surplus");
      own = stored.next();
    }
    if (!other.done && order >= 0) {
      if (!isEqual) note(other.value, "missing");
      count++;
      other = await records.next();
    }
  }
  return { records: count, start, end, days: [...days.values()] };
}

/** Opens a scan of what the node keeps. An open start is the time of its oldest record. */
async function openNode(client: VegaClient, options: CheckSyncOptions, start: bigint | undefined, end: bigint) {
  const open = (from: bigint | undefined) => scanOf(client, options, from, end)[Symbol.asyncIterator]();
  const records = open(start);
  try {
    const first = await records.next();
    return { records, first, start: start ?? BigInt(first.value?.timestamp ?? end) };
  } catch (error) {
    if (!PaginationError.is(error) || error.availableFrom === undefined) throw error;
    const { availableFrom } = error;
    const rest = open(availableFrom);
    return { records: rest, first: await rest.next(), start: availableFrom };
  }
}
