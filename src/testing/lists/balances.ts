import { operations } from "../../../generated/operations.js";
import type { BalanceChange } from "../../../generated/types.js";
import { numberOf, toName } from "../../values/names.js";
import { sha256Hex } from "../../values/sha256.js";
import { parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { Ids } from "../ids.js";
import type { List } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, firstIndex, rangeFrom, take } from "../sorted.js";
import { checkDateRange, type VersionRules } from "../versions.js";
import { type Microseconds, toJson, toMicroseconds, toNanosecondDigits, toRfc3339, zeroTime } from "../wire.js";

const { enums } = operations.listBalanceChanges;

/** An account, with the keys that filters compare. */
class Account {
  readonly asset: string;
  readonly party: string;
  readonly market: string;
  readonly type: number;
  readonly #name: string;
  /** The JSON of the members that a cursor has of the account, except its id. */
  readonly cursorMembers: string;
  #id: string | undefined;

  constructor(name: string, { assetId = "", partyId = "", marketId = "", accountType = 0 }: BalanceChange, ids: Ids) {
    this.asset = ids.add(assetId);
    this.party = ids.add(partyId);
    this.market = ids.add(marketId);
    this.type = typeof accountType === "number" ? accountType : (numberOf(enums.accountType, accountType) ?? 0);
    this.#name = name;
    const members = { PartyID: partyId, AssetID: assetId, MarketID: marketId, Type: this.type };
    this.cursorMembers = toJson(members).slice(1, -1);
  }

  /** The SHA-256 of the names, in hex, by which rows of one block are sorted; computed when it is first read. */
  get id(): string {
    this.#id ??= sha256Hex(this.#name);
    return this.#id;
  }
}

interface BalanceRow {
  change: BalanceChange;
  time: Microseconds;
  account: Account;
}

function readTime(given: `${bigint}`) {
  const time = toMicroseconds(given);
  return { given, time, timestamp: toNanosecondDigits(time) };
}

const inOrder = (a: BalanceRow, b: BalanceRow) =>
  a.time - b.time || (a.account === b.account ? 0 : compare(a.account.id, b.account.id));

/** The balance changes, sorted by block time and account id. */
export class BalanceTable {
  readonly #ids: Ids;
  readonly #accounts = new Map<string, Account>();
  /** In the order in which they were added. */
  #records: BalanceChange[] = [];
  readonly #rows: BalanceRow[] = [];
  /** The last time that was read. */
  #read = readTime("0");

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Adds changes; one replaces an earlier change of the same account in the same block. */
  add(changes: readonly BalanceChange[]): void {
    if (changes.length === 0) return;
    const added = changes.map((change) => this.#toRow(change));
    for (const { change } of added) this.#records.push(change);
    const count = this.#rows.length + added.length;
    this.#insert(added.sort(inOrder));
    if (this.#rows.length === count) return;
    const kept = new Set(this.#rows.map(({ change }) => change));
    this.#records = [...new Set(this.#records)].filter((change) => kept.has(change));
  }

  /** Inserts sorted rows. Most are newer than all others, which stay where they are. */
  #insert(added: readonly BalanceRow[]): void {
    const [first] = added;
    const behind = this.#rows.splice(firstIndex(this.#rows, (row) => first === undefined || inOrder(row, first) >= 0));
    let next = 0;
    for (const row of behind) {
      for (let each = added[next]; each !== undefined && inOrder(each, row) < 0; each = added[++next]) this.#push(each);
      this.#push(row);
    }
    for (; next < added.length; next++) this.#push(added[next] as BalanceRow);
  }

  /** Of equal rows, the last one stays. */
  #push(row: BalanceRow): void {
    const before = this.#rows.at(-1);
    if (before !== undefined && inOrder(before, row) === 0) this.#rows.pop();
    this.#rows.push(row);
  }

  /** A copy, which later additions leave as it is. */
  get records(): readonly BalanceChange[] {
    return this.#records.slice();
  }

  get rows(): readonly BalanceRow[] {
    return this.#rows;
  }

  #toRow(given: BalanceChange): BalanceRow {
    // Rows of one block follow each other, and converting a time is slow.
    if (given.timestamp !== this.#read.given) this.#read = readTime(given.timestamp);
    const { time, timestamp } = this.#read;
    const change = timestamp === given.timestamp ? given : { ...given, timestamp };
    const { assetId = "", partyId = "", marketId = "", accountType = "" } = change;
    // Nodes make the id of the name also where they no longer know the type, and send its number.
    const name = `${assetId}${partyId}${marketId}${toName(enums.accountType, accountType)}`;
    const account = this.#accounts.get(name) ?? new Account(name, change, this.#ids);
    this.#accounts.set(name, account);
    return { change, time, account };
  }
}

export interface BalanceListOptions {
  /** Whether cursors lack the account id. */
  unnamedAccounts: boolean;
  /** The oldest time that the node keeps. */
  history: Microseconds;
  version: VersionRules;
  /** The node's clock, in milliseconds since 1970. */
  date: () => number;
}

const failure = { code: 90004, message: "failed to get balances" };

const cursorFields = {
  vega_time: "time",
  AccountID: "text",
  PartyID: "text",
  AssetID: "text",
  MarketID: "text",
  Type: "number",
} as const;

/** @throws {@link NodeError} with status 400 for an id that a node rejects. */
export function listBalances(
  { rows }: BalanceTable,
  ids: Ids,
  query: QueryValues,
  { unnamedAccounts, history, version, date }: BalanceListOptions,
): List<BalanceRow> {
  const assetId = query.text("filter.assetId") ?? "";
  const asset = ids.find(assetId);
  const isWanted = accountFilter(ids, query, asset, version);
  const [start, end] = [query.integer("dateRange.startTimestamp"), query.integer("dateRange.endTimestamp")];
  const oldest = Math.max(history, start === undefined ? Number.NEGATIVE_INFINITY : toMicroseconds(start));
  const latest = end === undefined ? Number.POSITIVE_INFINITY : toMicroseconds(end);
  let formatted = { time: Number.NaN, text: "" };
  return {
    check(hasCursor) {
      if (version.limitsRanges) checkDateRange({ start, end }, !hasCursor, date);
      // The database decodes the asset, so that an invalid one is the last error of all.
      ids.read(assetId, failure);
    },
    node: ({ change }) => version.toBalanceChange(change),
    cursor: ({ time, account }) => {
      // Rows of one block follow each other, and formatting a time is slow.
      if (time !== formatted.time) formatted = { time, text: toRfc3339(time) };
      const id = unnamedAccounts ? "null" : `"${account.id}"`;
      return `{"vega_time":"${formatted.text}","AccountID":${id},${account.cursorMembers}}`;
    },
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, cursorFields, failure);
      const id = place?.AccountID?.toLowerCase();
      if (id !== undefined) ids.read(id, failure);
      const time = place?.vega_time ?? zeroTime;
      const order = (row: BalanceRow) => {
        // Without an id, the database compares with NULL, which equals nothing: no row of the block is behind the place.
        const inBlock = () => (id !== undefined ? compare(row.account.id, id) : upwards ? -1 : 1);
        return compare(row.time, time) || inBlock();
      };
      const [from, to] = rangeFrom(rows, upwards, place && order);
      const range = [
        Math.max(
          from,
          firstIndex(rows, ({ time }) => time >= oldest),
        ),
        Math.min(
          to,
          firstIndex(rows, ({ time }) => time >= latest),
        ),
      ] as const;
      return take(rows, range, upwards, limit, isWanted && (({ account }) => isWanted(account)));
    },
  };
}

/** The filter of accounts, with its verdicts remembered: there are far fewer accounts than rows. */
function accountFilter(
  ids: Ids,
  query: QueryValues,
  asset: string | undefined,
  { splitsIds }: VersionRules,
): ((account: Account) => boolean) | undefined {
  const textsOf = (name: string) => query.texts(name).flatMap((text) => (splitsIds ? text.split(",") : [text]));
  const markets = readIds(ids, textsOf("filter.marketIds"), "market");
  const parties = readIds(ids, textsOf("filter.partyIds"), "party");
  const types = new Set(query.texts("filter.accountTypes").map((name) => numberOf(enums.accountType, name)));
  if (parties.size + markets.size + types.size === 0 && asset === "") return undefined;
  const verdicts = new Map<Account, boolean>();
  return (account) => {
    const known = verdicts.get(account);
    if (known !== undefined) return known;
    const verdict =
      (asset === "" || asset === account.asset) &&
      (parties.size === 0 || parties.has(account.party)) &&
      (markets.size === 0 || markets.has(account.market)) &&
      (types.size === 0 || types.has(account.type));
    verdicts.set(account, verdict);
    return verdict;
  };
}

function readIds(ids: Ids, given: readonly string[], kind: "party" | "market"): Set<string> {
  const keys = given.map((id) => ids.findFull(id));
  const known = keys.filter((key) => key !== undefined);
  if (known.length < keys.length) {
    // Nodes say "party" for markets, too.
    throw dataNodeError(3, { code: 10000, message: "invalid party id", inner: `one or more ${kind} id is invalid` });
  }
  return new Set(known);
}
