/** Compares stored records with a node, one by one. */
import type { BalanceChange, VegaClient } from "vegaprotocol-client";
import { operations } from "vegaprotocol-client/operations";
import { nameOf } from "../dry.js";
import { ExitError, IncompleteError, UsageError } from "../errors.js";
import { idOf } from "../operations.js";
import { listAssets } from "../other-paths.js";
import { behindError, historyStart, readWhole, timeIn } from "../records.js";
import { dateOf, earliest, finalTime, formatTime, latest } from "../times.js";
import {
  allTimes,
  type BalancesQuery,
  type Checkpoint,
  canonicalJson,
  checkpointsBy,
  type Destination,
  type StoredList,
  type SyncList,
  syncLists,
  type TimeRange,
} from "./destination.js";
import type { RelationalDestination } from "./destinations/relational.js";
import { refuseNetwork } from "./network.js";
import { byKey, byTime, keysOf, nameRow, type Row, type Rows, rowOf, sharesOf, tables, uncheckedRow } from "./rows.js";
import { listsOf, type Run, type SyncOptions } from "./run.js";

type Checked = Pick<Run, "destination" | "client" | "options">;

export interface Comparison {
  readonly list: SyncList;
  readonly records: number;
  /** How many stored balance changes the node no longer keeps, so that nothing is known of them. */
  readonly uncompared: number;
  /** The error of records that are not compared: the node does not show them, or they may be new. */
  readonly gap?: IncompleteError | undefined;
  readonly different: readonly ComparedDay[];
  readonly range?: TimeRange;
}

/** The records of a day, or of a list without times, in the destination and in the node. */
export interface ComparedDay {
  /** A day in UTC, such as `2024-02-09`; `undefined` for records without a time. */
  readonly day: string | undefined;
  stored: number;
  node: number;
  /** How many records of the node are not stored. */
  missing: number;
  /** How many stored records the node has with other values. */
  changed: number;
  /** How many stored records the node does not have. */
  surplus: number;
  /** The first record of each kind, and how it differs. */
  readonly first: string[];
}

/** @throws {@link UsageError} if a list was never stored, and {@link ExitError} if the node is of another network. */
export async function* checkSync(destination: Destination, client: VegaClient, options: SyncOptions) {
  const run = { destination, client, options };
  const stored = await destination.checkpoints();
  const checkpointOf = checkpointsBy(stored);
  for (const [list, query] of listsOf(options)) {
    const checkpoint = checkpointOf(list, query);
    if (list === "profiles") yield await checkList(run, list, query);
    else if (checkpoint === undefined) throw notStored(list, stored);
    else if (list !== "balances") yield await checkList(run, list, query, checkpoint.position);
    else {
      const ofBalances = stored.filter(({ list }) => list === "balances");
      const end = latest(checkpoint.position, ...ofBalances.map(({ checkpoint }) => checkpoint.position));
      yield await checkBalances(run, query, { ...checkpoint, end });
      const assets = await listAssets(client, options.signal);
      const own = await storedRows(destination, "assets");
      // Assets have no time: those that are not stored can be newer than the copy.
      const listed = assets && new Map([...rowsOf("assets", assets)].filter(([key]) => own.has(key)));
      if (listed) yield compareRows("assets", own, listed).result();
    }
  }
}

function notStored(list: SyncList, stored: readonly StoredList[]): UsageError {
  const others = stored.filter((each) => each.list === list).map(({ query }) => nameOfQuery(list, query));
  const advice =
    others.length > 0
      ? `It has ${others.join(", ")}: pass the same flags.`
      : "Run sync without --check first: a filter is stored once it has records, in a folder once the day is over or with --partial-day.";
  return new UsageError(`Expected a destination in which these ${list} are stored. ${advice}`);
}

export function nameOfQuery(list: SyncList, query: object): string {
  const { from, ...others } = query as { from?: string };
  const dateRange = { startTimestamp: from && formatTime(from) };
  const name = nameOf({ id: idOf(list), query: { ...others, dateRange } });
  return name === list ? `all ${list}` : name;
}

async function checkBalances(
  { destination, client, options: { scan: scanOptions, signal } }: Checked,
  { filter }: BalancesQuery,
  checkpoint: Checkpoint & { end: bigint },
): Promise<Comparison> {
  const { position } = checkpoint;
  const { block } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
  // Records after the checkpoint are of another query, or of a node without block headers: these are compared in one
  // direction, and the last one is at the checkpoint. Later ones were not stored by sync.
  const limit = block ? checkpoint.end : checkpoint.end + 1n;
  const last = BigInt((await destination.newest(filter, limit))?.timestamp ?? 0);
  const end = last >= position && last < limit ? last + 1n : position;
  const start = latest(checkpoint.start, earliest(end, await historyStart(client, signal)));
  const dateRange = { startTimestamp: start, endTimestamp: end };
  const scan = client.scanBalanceChanges({ filter, dateRange }, { ...scanOptions, signal });
  const days = await compareChanges(destination.read(filter, { start, end }), scan, position);
  for await (const record of destination.read(filter, { start: checkpoint.end + 1n, end: allTimes.end }))
    days.add(uncheckedRow(record), undefined);
  // The node no longer keeps them.
  let uncompared = 0;
  for await (const _ of destination.read(filter, { start: checkpoint.start, end: start })) uncompared++;
  const [stored, node] = [days.total("stored"), days.total("node")];
  // If the copy has one record only, somebody may have edited it.
  if (days.total("surplus") === stored && stored > 1 && node > 0) {
    refuseNetwork(`the node has none of its ${stored} balance changes since ${formatTime(start)}, and ${node} others`);
  }
  return { ...days.result(), uncompared, range: { start, end } };
}

type WholeList = Exclude<SyncList, "balances">;

async function checkList(run: Checked, list: WholeList, query: object, position?: bigint): Promise<Comparison> {
  const { destination, client, options } = run;
  const own = await storedRows(destination, list, query);
  const { records, pages, gap } = await readWhole(client, idOf(list), query, { signal: options.signal });
  const block = pages.at(-1)?.block;
  const reached = block && finalTime(block.timestamp);
  if (position !== undefined && reached !== undefined && reached < position)
    throw behindError(block, `, and ${list} are stored up to ${formatTime(position)}`);
  const node = rowsOf(list, records);
  if (list === "votes" && position !== undefined) {
    // They were cast after the stored ones were read, or written again at the close of their proposal.
    const { timeMember } = operations.listVotes.cursors;
    const isRewritten = (cursor: string) => (timeIn(cursor, timeMember) ?? 0n) >= position;
    const last = pages.flatMap(({ edges }) => edges.flatMap(({ cursor, node }) => (isRewritten(cursor) ? [node] : [])));
    const rewritten = rowsOf(list, last);
    const later = [...node].filter(([key, row]) => rewritten.has(key) || BigInt(timeOf(list, row) ?? 0) >= position);
    for (const [key] of later) for (const rows of [own, node]) rows.delete(key);
  }
  let unknown = gap;
  if (list === "signatures" && position !== undefined && position !== reached) {
    // Signatures have no time: they can be newer than the stored ones.
    const later = [...node.keys()].filter((key) => !own.has(key));
    for (const key of later) node.delete(key);
    if (later.length > 0) unknown = new IncompleteError(`The node has ${later.length} more. Run sync before --check.`);
  }
  // Nothing is known of stored records in the gap.
  if (gap) for (const key of own.keys()) if (!node.has(key)) own.delete(key);
  return { ...compareRows(list, own, node).result(), gap: unknown };
}

function compareRows(list: WholeList, own: Rows, other: Rows): Days {
  const days = compareDays(list);
  for (const key of keysOf([own, other])) days.add(own.get(key), other.get(key));
  return days;
}

function rowsOf(list: WholeList, records: readonly object[]): Rows {
  const rows = records.map((record) => normalRow(list, rowOf(list, record)));
  return byKey(list, rows);
}

async function storedRows(destination: Destination, list: WholeList, query: object = {}): Promise<Rows> {
  const rows: Row[] = [];
  for await (const row of destination.rows(list, query)) rows.push(normalRow(list, row));
  return byKey(list, rows);
}

const timeOf = (list: SyncList, row: Row): string | null | undefined => row[tables[list].timeIndex];

/**
 * A row in which equal values have equal texts: PostgreSQL stores JSON in a form of its own, newer nodes send empty
 * lists, and shares in another form.
 */
const normalRow = (list: SyncList, row: Row): Row =>
  Object.values(tables[list].columns).map(({ kind, member }, index) => {
    const text = row[index] ?? "";
    if (kind !== "json" || text === "") return text;
    try {
      const value = JSON.parse(text);
      if (Array.isArray(value) && value.length === 0) return "";
      return canonicalJson(member === undefined ? { ...value, ...noShares, shares: sharesOf(value) } : value);
    } catch {
      return text;
    }
  });

const noShares = { perMarketEquityLikeShareWeight: undefined, elsPerMarket: undefined };

type Days = ReturnType<typeof compareDays>;

function compareDays(list: SyncList) {
  const days = new Map<string | undefined, ComparedDay>();
  const names = Object.keys(tables[list].columns);
  function describe(own: Row | undefined, other: Row | undefined): string {
    const values = names.flatMap((name, index) =>
      own && other && own[index] !== other[index]
        ? [`${name} is ${own[index] || '""'}, in the node ${other[index] || '""'}`]
        : [],
    );
    const key = nameRow(list, own ?? other ?? []);
    return `${key}: ${!own ? "missing" : other ? values.join("; ") : "the node does not have it"}`;
  }
  const total = (count: "stored" | "node" | "surplus") => [...days.values()].reduce((sum, day) => sum + day[count], 0);
  return {
    total,
    result: (): Comparison => {
      const different = [...days.values()].filter(({ first }) => first.length > 0);
      return { list, records: total("node"), uncompared: 0, different };
    },
    /** Adds records of the same key, as they are stored and as the node has them. */
    add(own: Row | undefined, other: Row | undefined): void {
      const time = timeOf(list, other ?? own ?? []);
      const day = time ? dateOf(time) : undefined;
      const known = days.get(day) ?? { day, stored: 0, node: 0, missing: 0, changed: 0, surplus: 0, first: [] };
      days.set(day, known);
      if (own) known.stored++;
      if (other) known.node++;
      if (own && other?.every((text, index) => text === own[index])) return;
      const kind = !own ? "missing" : other ? "changed" : "surplus";
      if (known[kind]++ === 0) known.first.push(describe(own, other));
    },
  };
}

type Changes = AsyncIterable<BalanceChange>;

/** @param position - Everything before it is stored; later records of the node do not have to be. */
async function compareChanges(stored: Changes, node: Changes, position: bigint): Promise<Days> {
  const days = compareDays("balances");
  for await (const { time, rows } of byTime([stored, node])) {
    const [own = new Map(), other = new Map()] = rows;
    for (const key of keysOf(rows)) if (own.has(key) || time < position) days.add(own.get(key), other.get(key));
  }
  return days;
}

/** Copies a database to an empty one, and compares both. Returns how many records of each list are in both. */
export async function copyDatabase(source: RelationalDestination, destination: RelationalDestination) {
  if ((await destination.checkpoints()).length === 0) await destination.copy(source);
  const ofBalances = (await source.checkpoints()).filter(({ list }) => list === "balances");
  const end = latest(0n, ...ofBalances.map(({ checkpoint }) => checkpoint.position));
  const counts: [SyncList, number][] = [];
  for (const list of syncLists) {
    const days =
      list === "balances"
        ? await compareChanges(source.read({}, allTimes), destination.read({}, allTimes), end)
        : compareRows(list, await storedRows(source, list), await storedRows(destination, list));
    if (days.result().different.length > 0)
      throw new ExitError(`The ${list} of the copy differ. Copy to an empty destination.`);
    counts.push([list, days.total("stored")]);
  }
  return counts;
}
