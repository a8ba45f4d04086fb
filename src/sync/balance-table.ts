import type { BalanceChangesFilter } from "../../generated/client.js";
import type { BalanceChange } from "../../generated/types.js";
import { listNames, refuse } from "../arguments/refuse.js";
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from "./database.js";

/** The condition of a filter in SQL, and its values. */
interface Condition {
  sql: string;
  values: SqlValue[];
}

/** The stored balance changes. */
export class BalanceTable {
  readonly #database: SqlDatabase;
  readonly #insertAccount: SqlStatement;
  readonly #insertChange: SqlStatement;
  /** The ids of the accounts that are stored, by their members. After a transaction that was not committed, it is not valid. */
  readonly #accounts = new Map<string, SqlValue>();

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#insertAccount = database.prepare(
      "INSERT INTO accounts (party, asset, market, account_type) VALUES (?, ?, ?, ?)",
    );
    this.#insertChange = database.prepare("INSERT OR REPLACE INTO account_changes VALUES (?, ?, ?)");
    const rows = database.prepare("SELECT id, party, asset, market, account_type FROM accounts").iterate();
    for (const { id, party, asset, market, account_type: type } of rows as Iterable<SqlRow>) {
      this.#accounts.set(`${party} ${asset} ${market} ${type}`, id ?? null);
    }
  }

  /** Stores records. The caller begins and ends the transaction. */
  add(records: readonly BalanceChange[]): void {
    for (const record of records) {
      this.#insertChange.run(this.#accountOf(record), record.timestamp, record.balance);
    }
  }

  /**
   * The stored records of a range in the order of a scan.
   *
   * @param start - Unix nanoseconds. It belongs to the range, the end does not.
   */
  *read(filter: BalanceChangesFilter, start: bigint, end: bigint): Generator<BalanceChange, undefined, undefined> {
    const { sql, values } = conditionOf(filter, start, end);
    const order = "ORDER BY account_changes.time, asset, party, market, account_type";
    const statement = this.#database.prepare(`${select} WHERE ${sql} ${order}`);
    for (const row of statement.iterate(...values) as Iterable<Texts>) yield recordOf(row);
  }

  /** The newest record, one of them if several have its time; `undefined` if there is none. */
  newest(): BalanceChange | undefined {
    const row = this.#database.prepare(`${select} ORDER BY account_changes.time DESC LIMIT 1`).get();
    return row === undefined ? undefined : recordOf(row as Texts);
  }

  /** Removes the stored records of a range. The caller begins and ends the transaction. */
  remove(filter: BalanceChangesFilter, start: bigint, end: bigint): void {
    const { sql, values } = conditionOf(filter, start, end);
    this.#database
      .prepare(
        "DELETE FROM account_changes WHERE (account, time) IN (SELECT account, time FROM account_changes " +
          `JOIN accounts ON accounts.id = account WHERE ${sql})`,
      )
      .run(...values);
  }

  #accountOf({ partyId = "", assetId = "", marketId = "", accountType = "" }: BalanceChange): SqlValue {
    const key = `${partyId} ${assetId} ${marketId} ${accountType}`;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const id = this.#insertAccount.run(partyId, assetId, marketId, String(accountType)).lastInsertRowid;
    this.#accounts.set(key, id);
    return id;
  }
}

type Texts = Readonly<Record<string, string>>;

/** The columns of records. A time exceeds the integers of JavaScript. */
const select =
  "SELECT CAST(time AS TEXT) AS time, party, asset, market, account_type, balance " +
  "FROM account_changes JOIN accounts ON accounts.id = account";

function recordOf(row: Texts): BalanceChange {
  const { time = "", party = "", asset = "", market = "", account_type: accountType = "", balance = "" } = row;
  return { timestamp: time as `${bigint}`, balance, partyId: party, assetId: asset, marketId: market, accountType };
}

/** The columns of the filters. */
const columns = new Map([
  ["assetId", "asset"],
  ["partyIds", "party"],
  ["marketIds", "market"],
  ["accountTypes", "account_type"],
]);

function conditionOf(filter: BalanceChangesFilter, start: bigint, end: bigint): Condition {
  const condition: Condition = {
    // SQLite converts the digits: a JavaScript number would not be exact.
    sql: "account_changes.time >= CAST(? AS INTEGER) AND account_changes.time < CAST(? AS INTEGER)",
    values: [String(start), String(end)],
  };
  for (const [name, wanted] of Object.entries(filter)) {
    const all: readonly unknown[] = wanted === undefined ? [] : [wanted].flat();
    if (all.length === 0) continue;
    const column = columns.get(name);
    if (column === undefined) {
      refuse({ argument: "balances.filter" }, `a filter of ${listNames([...columns.keys()])}`, name);
    }
    condition.sql += ` AND accounts.${column} IN (${all.map(() => "?").join(", ")})`;
    condition.values.push(...all.map(String));
  }
  return condition;
}
