/** The rows that are stored for records. Values that a destination cannot hold are refused, with their record. */
import type { BalanceChange, BalanceChangesFilter, Vote } from "vegaprotocol-client";
import { ExitError } from "../errors.js";
import { earliest, formatTime } from "../times.js";
import { canonicalJson, type Destination, type Row, type SyncList, type SyncRecords } from "./destination.js";

export type { Row };

/** How a column is stored: Unix nanoseconds, an integer in the smallest unit, a decimal number, JSON or text. */
export type StoredKind = "time" | "amount" | "decimal" | "json" | "text";

export interface StoredColumn {
  readonly kind: StoredKind;
  /** The member of the record that it holds; `undefined` for the whole record. */
  readonly member?: string;
}

export type StoredColumns = Readonly<Record<string, StoredColumn>>;

const text = (member: string): StoredColumn => ({ kind: "text", member });
const json = (member: string): StoredColumn => ({ kind: "json", member });
const amount = (member: string): StoredColumn => ({ kind: "amount", member });
const time: StoredColumn = { kind: "time", member: "timestamp" };
const party = text("partyId");
const account = { party, asset: text("assetId"), market: text("marketId"), account_type: text("accountType") };
const weight: StoredColumn = { kind: "decimal", member: "totalGovernanceTokenWeight" };
const vote = { value: text("value"), balance: amount("totalGovernanceTokenBalance"), weight };
const profile = { alias: text("alias"), metadata: json("metadata"), derived_keys: json("derivedKeys") };
const asset = { symbol: text("symbol"), name: text("name"), decimals: amount("decimals") };

interface Table {
  readonly name: string;
  /** How many of the first columns identify a record. */
  readonly keySize: number;
  readonly columns: StoredColumns;
  /** The index of the column `time`; -1 without one. */
  readonly timeIndex: number;
}

const table = (name: string, keySize: number, columns: StoredColumns): Table => {
  return { name, keySize, columns, timeIndex: Object.keys(columns).indexOf("time") };
};

export const tables: Readonly<Record<SyncList, Table>> = {
  balances: table("balance_changes", 5, { time, ...account, balance: amount("balance") }),
  votes: table("votes", 2, { proposal: text("proposalId"), party, time, ...vote, record: { kind: "json" } }),
  signatures: table("node_signatures", 3, { resource: text("id"), kind: text("kind"), signature: text("sig") }),
  profiles: table("party_profiles", 1, { party, ...profile }),
  assets: table("assets", 1, { asset: text("id"), ...asset }),
};

export function rowOf(list: SyncList, record: object): Row {
  const members = record as Readonly<Record<string, unknown>>;
  return Object.values(tables[list].columns).map(({ kind, member }) => {
    if (member === undefined) return checkJson(canonicalJson(record), record);
    const value = members[member];
    if (kind === "time") return checkTime(value, () => describe(record));
    // Nodes leave out empty values, or send `null`. The amount of a vote can be empty as well.
    if (kind === "json") return value ? checkJson(canonicalJson(value), record) : null;
    if (kind === "amount" && list === "balances") return checkAmount(value, record);
    const text = String(value ?? "");
    return isStorable(text) ? text : refuseText(record, text);
  });
}

/** The row of a balance change to compare: a stored value that another program has changed can be anything. */
export const uncheckedRow = (change: BalanceChange): Row =>
  Object.values(tables.balances.columns).map(({ member }) => String(change[member as keyof BalanceChange] ?? ""));

/** The shares of markets in a vote: v0.74.0 to v0.74.4 send an object of them. */
export function sharesOf({ perMarketEquityLikeShareWeight: byMarket, elsPerMarket }: Vote): string[] | undefined {
  const pairs = elsPerMarket ?? (byMarket && Object.entries(byMarket).map(([marketId, els]) => ({ marketId, els })));
  return pairs?.map((pair) => canonicalJson(pair)).sort();
}

export function recordOf<List extends SyncList>(list: List, row: Row): SyncRecords[List] {
  const record: Record<string, unknown> = {};
  for (const [index, { kind, member }] of Object.values(tables[list].columns).entries()) {
    const text = row[index] ?? "";
    if (member === undefined) return JSON.parse(text);
    if (kind !== "json") record[member] = text;
    else if (text !== "") record[member] = JSON.parse(text);
  }
  return record as object as SyncRecords[List];
}

export async function* allOf<List extends SyncList>(stored: Destination, list: List, query: object = {}) {
  for await (const row of stored.rows(list, query)) yield recordOf(list, row);
}

/** The columns that a query selects by, each with its values. */
export const wantedIn = (list: SyncList, query: object): [column: string, values: string[]][] =>
  Object.entries(tables[list].columns).flatMap(([column, { member = "" }]): [string, string[]][] => {
    const wanted: unknown = query[member as keyof typeof query];
    return wanted === undefined ? [] : [[column, [wanted].flat().map(String)]];
  });

/** The columns that a filter of balance changes selects by. An empty list selects all. */
export function wantedOf({ assetId, partyIds, marketIds, accountTypes }: BalanceChangesFilter) {
  const query = { assetId, partyId: partyIds, marketId: marketIds, accountType: accountTypes };
  return wantedIn("balances", query).filter(([, values]) => values.length > 0);
}

/** PostgreSQL rejects NUL and lone surrogates, and libsql, the SQLite of Node.js 20, fails when it reads them. */
const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

/** In JSON they are escaped. */
const checkJson = (json: string, record: object): string =>
  /\\u(?:0000|d[89a-f])/.test(json.replaceAll("\\\\", "")) ? refuseText(record, json) : json;

const refuseText = (record: object, text: string): never =>
  refuse(describe(record), "texts without NUL and lone surrogates", text);

/** Amounts of a Vega network have 256 bits. */
const longestAmount = 78;

function checkAmount(amount: unknown, record: object): string {
  if (typeof amount === "string" && /^\d+$/.test(amount) && amount.length <= longestAmount) return amount;
  return refuse(describe(record), `a balance of at most ${longestAmount} digits`, amount);
}

export function checkTime(time: unknown, what: () => string): string {
  if (typeof time === "string" && /^-?\d+$/.test(time)) {
    if (time.length < 19 || BigInt.asIntN(64, BigInt(time)) === BigInt(time)) return time;
  }
  return refuse(what(), "a time in digits, within 64 bits", time);
}

export function refuse(what: string, expected: string, value: unknown): never {
  const text = JSON.stringify(typeof value === "string" && value.length > 60 ? `${value.slice(0, 60)}…` : value);
  throw new ExitError(`Expected ${what} to have ${expected}, got ${text}. Use another node.`);
}

export function describe(record: object): string {
  const ids = Object.entries(record).filter(([name, value]) => name.endsWith("Id") && value);
  return `the record of ${ids.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ")}`;
}

export type Rows = Map<string, Row>;

export const byKey = (list: SyncList, rows: readonly Row[]): Rows =>
  new Map(rows.map((row) => [JSON.stringify(row.slice(0, tables[list].keySize)), row]));

export const keysOf = (readings: Iterable<Rows>): string[] =>
  [...new Set([...readings].flatMap((rows) => [...rows.keys()]))].sort();

export const nameRow = (list: SyncList, row: Row): string =>
  Object.keys(tables[list].columns)
    .slice(0, tables[list].keySize)
    .flatMap((name, index) => {
      const text = row[index];
      return text ? [`${name} ${name === "time" ? formatTime(text) : text}`] : [];
    })
    .join(", ");

/** Merges readings of balance changes in order of time: yields the rows of each reading at each time. */
export async function* byTime(readings: readonly AsyncIterable<BalanceChange>[]) {
  const all = readings.map((records) => records[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(all.map(async (records) => (await records.next()).value));
    for (;;) {
      const time = earliest(...heads.map((head) => head && BigInt(head.timestamp)));
      if (time === undefined) return;
      const readBlock = async (records: AsyncIterator<BalanceChange>, index: number) => {
        const rows: Row[] = [];
        for (let head = heads[index]; head && BigInt(head.timestamp) === time; head = heads[index]) {
          rows.push(uncheckedRow(head));
          heads[index] = (await records.next()).value;
        }
        return byKey("balances", rows);
      };
      yield { time, rows: await Promise.all(all.map(readBlock)) };
    }
  } finally {
    await Promise.allSettled(all.map((records) => records.return?.()));
  }
}
