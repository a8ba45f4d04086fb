/** Reads what a sync has stored, for reports. */
import { statSync } from "node:fs";
import type { BalanceChange, BalanceChangesFilter, NodeSignature, Vote } from "vegaprotocol-client";
import { IncompleteError, UsageError } from "../errors.js";
import { formatTime } from "../output/cells.js";
import { loadSqlite } from "../sqlite.js";
import { canonicalJson, type SyncList } from "./destination.js";
import { SqliteDestination } from "./destinations/sqlite.js";

/** Opens a database to read it. A sync can write to it meanwhile. */
function open(name: string): SqliteDestination {
  if (!statSync(name, { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError(`Expected --db to be a database of vegaprotocol sync, such as vega.db, got ${name || '""'}.`);
  }
  return new SqliteDestination(loadSqlite("--db")(name), name);
}

/**
 * The balance changes up to and including a time, as far back as they were stored without a gap.
 *
 * @param onStart - Called with the time from which on they were stored.
 */
export async function* storedBalances(
  name: string,
  filter: BalanceChangesFilter,
  until: bigint,
  onStart: (start: bigint) => void,
): AsyncGenerator<BalanceChange, undefined, undefined> {
  const database = open(name);
  try {
    const ranges = checkpointsOf(database, name, "balances", (query) => covers(query["filter"] ?? {}, filter));
    const newest = ranges.reduce((latest, { position }) => (position > latest ? position : latest), 0n);
    const reaching = ranges.filter(({ position }) => position > until).map(({ start }) => start);
    if (reaching.length === 0) {
      const [stored, needed] = [formatTime(newest), formatTime(until)];
      throw new IncompleteError(
        `${name} has the balance changes before ${stored}, not up to ${needed}. Run sync again.`,
      );
    }
    const start = reaching.reduce((earliest, each) => (each < earliest ? each : earliest));
    onStart(start);
    yield* database.read(filter, { start, end: until + 1n });
  } catch (error) {
    throw database.describe(error);
  } finally {
    await database.close();
  }
}

/** The votes on a proposal, or the signatures of a resource, as they were last stored. */
export async function* storedList<List extends "votes" | "signatures">(
  name: string,
  list: List,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<List extends "votes" ? Vote : NodeSignature, undefined, undefined> {
  const database = open(name);
  try {
    checkpointsOf(database, name, list, (stored) => canonicalJson(stored) === canonicalJson(query));
    const isWanted = (record: object) =>
      Object.entries(query).every(([member, id]) => (record as Readonly<Record<string, unknown>>)[member] === id);
    for (const record of database.all(list)) if (isWanted(record)) yield record as never;
  } catch (error) {
    throw database.describe(error);
  } finally {
    await database.close();
  }
}

type Query = Readonly<Record<string, object | undefined>>;

function checkpointsOf(database: SqliteDestination, name: string, list: SyncList, isWanted: (query: Query) => boolean) {
  const found = database.checkpoints().filter((each) => each.list === list && isWanted(each.query as Query));
  if (found.length > 0) return found.map(({ checkpoint }) => checkpoint);
  throw new UsageError(
    `${name} does not have these ${list}: run vegaprotocol sync ${name} ${list} with these filters.`,
  );
}

/** Whether all accounts of a filter were stored with another one. */
const covers = (stored: object, wanted: BalanceChangesFilter): boolean =>
  Object.entries(stored).every(([name, values]) => {
    const own: unknown = wanted[name as keyof BalanceChangesFilter];
    return own !== undefined && [own].flat().every((value) => [values].flat().includes(value));
  });
