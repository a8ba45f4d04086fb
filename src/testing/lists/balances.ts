import { operations } from "../../../generated/operations.js";
import type { BalanceChange } from "../../../generated/types.js";
import { numberOf, toName } from "../../values/names.js";
import { sha256Hex } from "../../values/sha256.js";
import type { Ids } from "../ids.js";
import { type List, type ListNode, parseCursor } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, firstIndex, rangeFrom, take } from "../sorted.js";
import { checkDateRange } from "../versions.js";
import {
  dataNodeError,
  type Microseconds,
  toJson,
  toMicroseconds,
  toNanosecondDigits,
  toRfc3339,
  zeroTime,
} from "../wire.js";

const { enums } = operations.listBalanceChanges;

interface Account {
  asset: string;
  party: string;
  market: string;
  type: number;
  /** The SHA-256 of the names, in hex, by which rows of one block are sorted. */
  id: string;
  /** The JSON of the members that a cursor has of the account, except its id. */
  cursorMembers: string;
}

interface BalanceRow {
  change: BalanceChange;
  time: Microseconds;
  account: Account;
  /** How many rows were added before. */
  place: number;
}

const inOrder = (a: BalanceRow, b: BalanceRow) =>
  a.time - b.time || (a.account === b.account ? 0 : compare(a.account.id, b.account.id));

export class BalanceTable {
  readonly #ids: Ids;
  readonly #accounts = new Map<string, Account>();
  #rows: readonly BalanceRow[] = [];
  #added = 0;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Adds changes; one replaces an earlier change of the same account in the same block. */
  add(changes: readonly BalanceChange[]): void {
    if (changes.length === 0) return;
    const rows = this.#rows.concat(changes.map((change) => this.#toRow(change))).sort(inOrder);
    // Stable: of two equal rows, the later one stays behind.
    this.#rows = rows.filter((row, index) => inOrder(row, rows[index + 1] ?? row) !== 0 || index === rows.length - 1);
  }

  /** In the order in which they were added. */
  get records(): readonly BalanceChange[] {
    return [...this.#rows].sort((a, b) => a.place - b.place).map(({ change }) => change);
  }

  get rows(): readonly BalanceRow[] {
    return this.#rows;
  }

  #toRow(given: BalanceChange): BalanceRow {
    const time = toMicroseconds(given.timestamp);
    const timestamp = toNanosecondDigits(time);
    const change = timestamp === given.timestamp ? given : { ...given, timestamp };
    return { change, time, account: this.#account(change), place: this.#added++ };
  }

  #account({ assetId = "", partyId = "", marketId = "", accountType = "" }: BalanceChange): Account {
    // Nodes make the id of the name also where they no longer know the type, and send its number.
    const name = `${assetId}${partyId}${marketId}${toName(enums.accountType, accountType)}`;
    const known = this.#accounts.get(name);
    if (known) return known;
    const type = typeof accountType === "number" ? accountType : (numberOf(enums.accountType, accountType) ?? 0);
    const members = { PartyID: partyId, AssetID: assetId, MarketID: marketId, Type: type };
    const account = {
      asset: this.#ids.add(assetId),
      party: this.#ids.add(partyId),
      market: this.#ids.add(marketId),
      type,
      id: sha256Hex(name),
      cursorMembers: toJson(members).slice(1, -1),
    };
    this.#accounts.set(name, account);
    return account;
  }
}

type BalanceNode = ListNode & { store: { ids: Ids; balances: BalanceTable } };

const failure = { code: 90004, message: "failed to get balances" };

const cursorFields = {
  vega_time: "time",
  AccountID: "text",
  PartyID: "text",
  AssetID: "text",
  MarketID: "text",
  Type: "number",
} as const;

export function listBalances(query: QueryValues, node: BalanceNode): List<BalanceRow> {
  const { store, version, defects } = node;
  const { rows } = store.balances;
  const assetId = query.text("filter.assetId") ?? "";
  const isWanted = accountFilter(query, node, store.ids.find(assetId));
  const [start, end] = [query.integer("dateRange.startTimestamp"), query.integer("dateRange.endTimestamp")];
  const oldest = Math.max(node.oldest, start === undefined ? Number.NEGATIVE_INFINITY : toMicroseconds(start));
  const latest = end === undefined ? Number.POSITIVE_INFINITY : toMicroseconds(end);
  const indexOf = (time: Microseconds) => firstIndex(rows, (row) => row.time >= time);
  let formatted = { time: Number.NaN, text: "" };
  return {
    check(hasCursor) {
      if (version.isNewer) checkDateRange({ start, end }, !hasCursor, node.now);
      // The database decodes the asset, so that an invalid one is the last error of all.
      store.ids.read(assetId, failure);
    },
    node: ({ change }) => version.toBalanceChange(change),
    cursor: ({ time, account }) => {
      // Rows of one block follow each other, and formatting a time is slow.
      if (time !== formatted.time) formatted = { time, text: toRfc3339(time) };
      const id = defects.includes("lost-balance-changes") ? "null" : `"${account.id}"`;
      return `{"vega_time":"${formatted.text}","AccountID":${id},${account.cursorMembers}}`;
    },
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, cursorFields, failure);
      const id = place?.AccountID?.toLowerCase();
      if (id !== undefined) store.ids.read(id, failure);
      const time = place?.vega_time ?? zeroTime;
      const order = (row: BalanceRow) => {
        // Without an id, the database compares with NULL, which equals nothing: no row of the block is behind the place.
        const inBlock = () => (id !== undefined ? compare(row.account.id, id) : upwards ? -1 : 1);
        return compare(row.time, time) || inBlock();
      };
      const [from, to] = rangeFrom(rows, upwards, place && order);
      const range = [Math.max(from, indexOf(oldest)), Math.min(to, indexOf(latest))] as const;
      return take(rows, range, upwards, limit, isWanted && (({ account }) => isWanted(account)));
    },
  };
}

function accountFilter(
  query: QueryValues,
  { store, version }: BalanceNode,
  asset: string | undefined,
): ((account: Account) => boolean) | undefined {
  const readIds = (name: string, kind: string) => {
    const given = query.texts(name).flatMap((text) => (version.isNewer ? text.split(",") : [text]));
    const keys = given.map((id) => store.ids.findFull(id));
    // Nodes say "party" for markets, too.
    const problem = { code: 10000, message: "invalid party id", inner: `one or more ${kind} id is invalid` };
    if (keys.includes(undefined)) throw dataNodeError(3, problem);
    return new Set(keys);
  };
  const markets = readIds("filter.marketIds", "market");
  const parties = readIds("filter.partyIds", "party");
  const types = new Set(query.texts("filter.accountTypes").map((name) => numberOf(enums.accountType, name)));
  if (parties.size + markets.size + types.size === 0 && asset === "") return undefined;
  return (account) =>
    (asset === "" || asset === account.asset) &&
    (parties.size === 0 || parties.has(account.party)) &&
    (markets.size === 0 || markets.has(account.market)) &&
    (types.size === 0 || types.has(account.type));
}
