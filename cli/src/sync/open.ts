import { existsSync, statSync } from "node:fs";
import type { BalanceChangesFilter } from "vegaprotocol-client";
import { kebab } from "../arguments.js";
import { IncompleteError, NoCopyError, UsageError } from "../errors.js";
import { formatTime } from "../output/time-format.js";
import { latest } from "../times.js";
import { type BalancesQuery, type Destination, hidePassword, type OpenMode, type SyncList } from "./destination.js";
import { openSqlite } from "./destinations/sqlite.js";

/** The flags of destinations. */
export interface DestinationFlags {
  readonly partialDay?: true;
  readonly timestamps?: "micros" | "nanos";
  readonly textAmounts?: true;
  readonly schema?: string;
}

/**
 * Opens a destination by its name, and locks it for this process unless it is only read. Without flags, everything in it is read.
 *
 * @param query - Which balance changes a folder must have, if it has any.
 */
export async function openDestination(
  name: string,
  mode: OpenMode,
  signal: AbortSignal,
  flags?: DestinationFlags,
  query?: BalancesQuery,
): Promise<Destination> {
  const { partialDay, timestamps, textAmounts, schema } = flags ?? {};
  const isPostgres = /^postgres(?:ql)?:/.test(name);
  // SQLite reads options from a name that begins with `file:`. One letter is a drive of Windows.
  const isFile = !/^[a-z][a-z\d+.-]+:/i.test(name);
  const isFolder = isFile && (/[/\\]$/.test(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory());
  if (!isFolder) refuse({ partialDay, timestamps, textAmounts }, "a folder: a DESTINATION that ends with /");
  if (isPostgres) {
    return (await import("./destinations/postgres.js")).openPostgres(name, { mode, schema: schema ?? "vega", signal });
  }
  refuse({ schema }, "a DESTINATION such as postgres://localhost/vega");
  const isDatabase = isFile && !isFolder && /\.(?:db|sqlite3?)$/i.test(name);
  if (!isFolder && !isDatabase) {
    throw new UsageError(
      "Expected an SQLite database such as vega.db or vega.sqlite, a folder such as vega/, or PostgreSQL such as " +
        `postgres://localhost/vega, got ${hidePassword(name) || '""'}.`,
    );
  }
  if (mode === "read" && !existsSync(name)) {
    throw new NoCopyError(
      `Expected a copy of vegaprotocol sync, and there is no ${name}. Create it with: vegaprotocol sync ${name}`,
    );
  }
  if (isDatabase) return openSqlite(name, mode);
  const { openParquetFolder } = await import("./destinations/parquet.js");
  return openParquetFolder(name, {
    mode,
    form: { timestamps: timestamps ?? "micros", amounts: textAmounts ? "text" : "decimal" },
    query,
    hasPartialDay: flags === undefined || partialDay === true,
  });
}

/** Refuses flags of another destination. */
function refuse(flags: object, expected: string): void {
  const found = Object.entries(flags).find(([, value]) => value)?.[0];
  if (found !== undefined) throw new UsageError(`--${kebab(found)} requires ${expected}.`);
}

/** Yields the records of a destination. A sync can write to it at the same time. */
export async function* readFrom<T>(
  name: string,
  signal: AbortSignal,
  read: (stored: Destination) => AsyncIterable<T>,
): AsyncGenerator<T, undefined, undefined> {
  const stored = await openDestination(name, "read", signal);
  try {
    yield* read(stored);
  } catch (error) {
    throw stored.describe(error);
  } finally {
    await stored.close();
  }
}

/**
 * The range of the copy that has the accounts of a filter, and reaches furthest back of those that reach a time.
 *
 * @param end - Default: the latest time that one of them reaches.
 */
export async function rangeOf(stored: Destination, name: string, filter: BalanceChangesFilter, end?: bigint) {
  const found = await checkpointsOf(stored, name, "balances", (query) => covers(query["filter"] ?? {}, filter));
  const wanted = end ?? latest(0n, ...found.map(({ position }) => position));
  const [range] = found.filter(({ position }) => position >= wanted).sort((a, b) => (a.start < b.start ? -1 : 1));
  if (range) return { start: range.start, end: wanted, position: range.position };
  throw new IncompleteError(
    `${hidePassword(name)} has no balance changes up to ${formatTime(wanted)} yet. Run sync again.`,
  );
}

type Query = Readonly<Record<string, object | undefined>>;

export async function checkpointsOf(
  stored: Destination,
  name: string,
  list: SyncList,
  isWanted: (query: Query) => boolean,
) {
  const found = (await stored.checkpoints()).filter((each) => each.list === list && isWanted(each.query as Query));
  if (found.length > 0) return found.map(({ checkpoint }) => checkpoint);
  const own = hidePassword(name);
  throw new NoCopyError(`${own} does not have these ${list}: run vegaprotocol sync ${own} ${list} with these filters.`);
}

/** Whether all records of a filter were stored with another one. */
export const covers = (stored: object, wanted: object): boolean =>
  Object.entries(stored).every(([name, values]) => {
    const own: unknown = wanted[name as keyof typeof wanted];
    return own !== undefined && [own].flat().every((value) => [values].flat().includes(value));
  });
