import type { BalanceChangesFilter } from "../../generated/client.js";
import type { BalanceChange } from "../../generated/types.js";
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from "./database.js";
import { balanceOf, textOf, timeOf } from "./values.js";

/** The condition of a filter in SQL, and its values. */
interface Condition {
  sql: string;
  values: SqlValue[];
}

/** A range in Unix nanoseconds. The start belongs to it, the end does not. */
export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** All times that can be stored. */
export const allTimes: TimeRange = { start: -(2n ** 63n), end: 2n ** 63n - 1n };

/** How many accounts are remembered with their ids. Another one is found in the database. */
const mostRemembered = 10_000;

/** The stored balance changes. */
export class BalanceTable {
  readonly #database: SqlDatabase;
  readonly #findAccount: SqlStatement;
  readonly #insertAccount: SqlStatement;
  readonly #insertChange: SqlStatement;
  /** The ids of accounts that were looked up. After a transaction that was not committed, they are not valid. */
  readonly #accounts = new Map<string, SqlValue>();

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#findAccount = database.prepare(
      "SELECT id FROM accounts WHERE party = ? AND asset = ? AND market = ? AND account_type = ?",
    );
    this.#insertAccount = database.prepare(
      "INSERT INTO accounts (party, asset, market, account_type) VALUES (?, ?, ?, ?)",
    );
    this.#insertChange = database.prepare("INSERT OR REPLACE INTO account_changes VALUES (?, ?, ?)");
  }

  /** Stores records. The caller begins and ends the transaction. */
  add(records: readonly BalanceChange[]): void {
    for (const record of records) {
      this.#insertChange.run(this.#accountOf(record), timeOf(record), balanceOf(record));
    }
  }

  /** The stored records of a range in the order of a scan. */
  *read(filter: BalanceChangesFilter, range: TimeRange): Generator<BalanceChange, undefined, undefined> {
    const { sql, values } = conditionOf(filter, range);
    const order = "ORDER BY account_changes.time, asset, party, market, account_type";
    const statement = this.#database.prepare(`${select} WHERE ${sql} ${order}`);
    for (const row of statement.iterate(...values) as Iterable<Texts>) yield recordOf(row);
  }

  /** How many records of a range are stored. */
  count(filter: BalanceChangesFilter, range: TimeRange): number {
    const { sql, values } = conditionOf(filter, range);
    const statement = this.#database.prepare(`SELECT count(*) AS count FROM ${changes} WHERE ${sql}`);
    return Number((statement.get(...values) as SqlRow)["count"]);
  }

  /** The newest record of a filter, one of them if several have its time; `undefined` if there is none. */
  newest(filter: BalanceChangesFilter): BalanceChange | undefined {
    const { sql, values } = conditionOf(filter, allTimes);
    const row = this.#database.prepare(`${select} WHERE ${sql} ORDER BY account_changes.time DESC LIMIT 1`);
    const found = row.get(...values);
    return found === undefined ? undefined : recordOf(found as Texts);
  }

  /** Removes the stored records of a range. The caller begins and ends the transaction. */
  remove(filter: BalanceChangesFilter, range: TimeRange): void {
    const { sql, values } = conditionOf(filter, range);
    this.#database
      .prepare(
        `DELETE FROM account_changes WHERE (account, time) IN (SELECT account, time FROM ${changes} WHERE ${sql})`,
      )
      .run(...values);
  }

  #accountOf({ partyId, assetId, marketId, accountType }: BalanceChange): SqlValue {
    const members = [partyId, assetId, marketId, accountType].map(textOf);
    const key = JSON.stringify(members);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const found = this.#findAccount.get(...members) as SqlRow | undefined;
    const id = found?.["id"] ?? this.#insertAccount.run(...members).lastInsertRowid;
    if (this.#accounts.size >= mostRemembered) this.#accounts.clear();
    this.#accounts.set(key, id);
    return id;
  }
}

type Texts = Readonly<Record<string, string>>;

const changes = "account_changes JOIN accounts ON accounts.id = account";

/** The columns of records. A time exceeds the integers of JavaScript. */
const select = `SELECT CAST(time AS TEXT) AS time, party, asset, market, account_type, balance FROM ${changes}`;

function recordOf(row: Texts): BalanceChange {
  const { time = "", party = "", asset = "", market = "", account_type: accountType = "", balance = "" } = row;
  return { timestamp: time as `${bigint}`, balance, partyId: party, assetId: asset, marketId: market, accountType };
}

/** The columns of the filters. */
const columns: Readonly<Record<keyof BalanceChangesFilter, string>> = {
  assetId: "asset",
  partyIds: "party",
  marketIds: "market",
  accountTypes: "account_type",
};

function conditionOf(filter: BalanceChangesFilter, { start, end }: TimeRange): Condition {
  const condition: Condition = {
    // SQLite converts the digits: a JavaScript number would not be exact.
    sql: "account_changes.time >= CAST(? AS INTEGER) AND account_changes.time < CAST(? AS INTEGER)",
    values: [String(start), String(end)],
  };
  for (const [name, wanted] of Object.entries(filter) as [keyof BalanceChangesFilter, unknown][]) {
    const all: readonly unknown[] = wanted === undefined ? [] : [wanted].flat();
    if (all.length === 0) continue;
    condition.sql += ` AND accounts.${columns[name]} IN (${all.map(() => "?").join(", ")})`;
    condition.values.push(...all.map(String));
  }
  return condition;
}
