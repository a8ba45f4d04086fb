/** Reads what a sync has stored: for reports, and for a fake node. */
import type { BalanceChange, BalanceChangesFilter } from "vegaprotocol-client";
import { IncompleteError, UsageError } from "../errors.js";
import { formatTime } from "../output/cells.js";
import { canonicalJson, type Destination, hidePassword, type SyncList, type SyncRecords } from "./destination.js";
import { openDestination } from "./open.js";

/** Yields what is read from a destination. A sync can write to it meanwhile. */
async function* readFrom<T>(
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

export const storedRecords = <List extends SyncList>(name: string, list: List, signal: AbortSignal) =>
  readFrom(name, signal, (stored) => stored.all(list));

/**
 * The balance changes up to and including a time, as far back as they were stored without a gap.
 *
 * @param onStart - Called with the time from which on they were stored.
 */
export const storedBalances = (
  name: string,
  filter: BalanceChangesFilter,
  until: bigint,
  signal: AbortSignal,
  onStart: (start: bigint) => void,
): AsyncGenerator<BalanceChange, undefined, undefined> =>
  readFrom(name, signal, async function* (stored) {
    const ranges = await checkpointsOf(stored, name, "balances", (query) => covers(query["filter"] ?? {}, filter));
    const newest = ranges.reduce((latest, { position }) => (position > latest ? position : latest), 0n);
    const reaching = ranges.filter(({ position }) => position > until).map(({ start }) => start);
    if (reaching.length === 0) {
      const [has, needed] = [formatTime(newest), formatTime(until)];
      throw new IncompleteError(
        `${hidePassword(name)} has the balance changes before ${has}, not up to ${needed}. Run sync again.`,
      );
    }
    const start = reaching.reduce((earliest, each) => (each < earliest ? each : earliest));
    onStart(start);
    yield* stored.read(filter, { start, end: until + 1n });
  });

/** The votes on a proposal, or the signatures of a resource, as they were last stored. */
export const storedList = <List extends "votes" | "signatures">(
  name: string,
  list: List,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<SyncRecords[List], undefined, undefined> =>
  readFrom(name, signal, async function* (stored) {
    await checkpointsOf(stored, name, list, (own) => canonicalJson(own) === canonicalJson(query));
    for await (const record of stored.all(list)) {
      const members: object = record;
      if (Object.entries(query).every(([member, id]) => members[member as keyof object] === id)) yield record;
    }
  });

type Query = Readonly<Record<string, object | undefined>>;

async function checkpointsOf(stored: Destination, name: string, list: SyncList, isWanted: (query: Query) => boolean) {
  const found = (await stored.checkpoints()).filter((each) => each.list === list && isWanted(each.query as Query));
  if (found.length > 0) return found.map(({ checkpoint }) => checkpoint);
  const own = hidePassword(name);
  throw new UsageError(`${own} does not have these ${list}: run vegaprotocol sync ${own} ${list} with these filters.`);
}

/** Whether all accounts of a filter were stored with another one. */
const covers = (stored: object, wanted: BalanceChangesFilter): boolean =>
  Object.entries(stored).every(([name, values]) => {
    const own: unknown = wanted[name as keyof BalanceChangesFilter];
    return own !== undefined && [own].flat().every((value) => [values].flat().includes(value));
  });
