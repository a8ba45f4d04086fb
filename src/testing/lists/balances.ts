import { operations } from "../../../generated/operations.js";
import { numberOf } from "../../values/enumeration.js";
import { parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { Ids } from "../ids.js";
import type { AccountIdRule } from "../options.js";
import type { List } from "../page.js";
import type { QueryValues } from "../query.js";
import { firstIndex, take } from "../sorted.js";
import { type Microseconds, toMicroseconds, toRfc3339 } from "../time.js";
import type { VersionRules } from "../versions.js";
import type { Account, AccountIdName, BalanceRow, BalanceTable } from "./balance-table.js";
import { checkDateRange } from "./date-range.js";
import { invalidId, parsing } from "./failure.js";

export interface BalanceListOptions {
  /** Whether cursors lack the account id. */
  unnamedAccounts: boolean;
  accountIds: AccountIdRule;
  /** The oldest time that the node keeps. */
  history: Microseconds;
  version: VersionRules;
  /** The node's clock, in milliseconds since 1970. */
  date: () => number;
}

const { enums } = operations.listBalanceChanges;
const failure = { code: 90004, message: "failed to get balances" };

/** @throws {@link NodeError} with status 400 for an id that a node rejects. */
export function listBalances(
  table: BalanceTable,
  ids: Ids,
  query: QueryValues,
  { unnamedAccounts, accountIds, history, version, date }: BalanceListOptions,
): List<BalanceRow> {
  const idName = accountIds === "reordered" ? "otherId" : "id";
  const rows = table.sortedBy(idName);
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
      if (asset === undefined) throw invalidId(failure, assetId);
    },
    node: ({ change }) => version.toBalanceChange(change),
    cursor: ({ time, account }) => {
      // Rows of one block follow each other, and formatting a time is slow.
      if (time !== formatted.time) formatted = { time, text: toRfc3339(time) };
      const id = unnamedAccounts || accountIds === "ignored" ? "null" : `"${account[idName]}"`;
      return `{"vega_time":"${formatted.text}","AccountID":${id},${account.cursorMembers}}`;
    },
    read(upwards, cursor, limit) {
      const place = cursor === undefined ? undefined : readPlace(ids, cursor, accountIds);
      const border = place === undefined ? undefined : borderOf(rows, idName, place, upwards);
      const from = Math.max(
        firstIndex(rows, ({ time }) => time >= oldest),
        upwards ? (border ?? 0) : 0,
      );
      const to = Math.min(
        firstIndex(rows, ({ time }) => time >= latest),
        upwards ? rows.length : (border ?? rows.length),
      );
      return take(rows, [from, to], upwards, limit, isWanted && (({ account }) => isWanted(account)));
    },
  };
}

/** Where a cursor points; an account id that is not given equals nothing. */
interface BalancePlace {
  time: Microseconds;
  accountId: string | undefined;
}

function readPlace(ids: Ids, cursor: string, accountIds: AccountIdRule): BalancePlace | undefined {
  const fields = {
    vega_time: "time",
    AccountID: "text",
    PartyID: "text",
    AssetID: "text",
    MarketID: "text",
    Type: "number",
  } as const;
  const place = parsing(failure, () => parseCursor(cursor, fields));
  const accountId = accountIds === "ignored" ? undefined : place?.text("AccountID");
  if (accountId !== undefined && ids.find(accountId) === undefined) throw invalidId(failure, accountId);
  return place && { time: place.time("vega_time"), accountId: accountId?.toLowerCase() };
}

/** The index where the rows at or behind a place begin or, reading downwards, end. */
function borderOf(
  rows: readonly BalanceRow[],
  idName: AccountIdName,
  { time, accountId }: BalancePlace,
  upwards: boolean,
): number {
  return firstIndex(rows, (row) => {
    if (row.time !== time) return row.time > time;
    if (accountId === undefined) return !upwards;
    return upwards ? row.account[idName] >= accountId : row.account[idName] > accountId;
  });
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
