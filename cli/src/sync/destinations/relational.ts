/** A destination in a relational database: SQLite and PostgreSQL have the same tables, and run the same statements. */
import type { BalanceChange, BalanceChangesFilter } from "vegaprotocol-client";
import { ExitError, UsageError } from "../../errors.js";
import {
  allTimes,
  type Batch,
  type Checkpoint,
  canonicalJson,
  type Destination,
  type OpenMode,
  type StoredList,
  type SyncList,
  type SyncRecords,
  type TimeRange,
  wantedOf,
} from "../destination.js";
import { describe, type Row, type RowKind, recordOf, refuse, rowOf, tables } from "../rows.js";

export interface Dialect {
  /** What of a database is another one's if it has other tables, as in `file`. */
  readonly place: string;
  readonly types: { readonly id: string; readonly time: string; readonly amount: string; readonly json: string };
  /** What follows the columns of a table that is sorted by its key. */
  readonly byKey: string;
  /** The nanoseconds of the smallest unit of a stored time. */
  readonly precision: bigint;
  /** The stored time of digits, and the digits of a stored time. */
  readonly time: (digits: string) => string;
  readonly digits: (time: string) => string;
  /** The elements of a JSON array, in the column `value` of `r`: arrays; and texts. */
  readonly rows: (json: string) => string;
  readonly texts: (json: string) => string;
  /** Sorts text as JavaScript does. */
  readonly collation: string;
  /** Further columns of the view `balance_changes`. */
  readonly extra: readonly [afterTime: string, atEnd: string];
  readonly tableNames: string;
  readonly setup?: string;
}

export interface Database {
  /** Names it in errors, without a password. */
  readonly name: string;
  readonly dialect: Dialect;
  execute(sql: string): Promise<void>;
  /** Runs a statement, with values for `$1`, `$2` and so on, and returns how many rows it has changed. */
  run(sql: string, values: readonly string[]): Promise<number>;
  /** Returns the rows of a statement. */
  query(sql: string, values?: readonly string[]): Promise<Row[]>;
  read(sql: string, values?: readonly string[]): AsyncIterable<Row> | Iterable<Row>;
  /** Writes in one transaction, as the only process that does. */
  write<T>(run: () => Promise<T>): Promise<T>;
  describe(error: unknown): unknown;
  close(): Promise<void>;
}

const account = ["party", "asset", "market", "account_type"] as const;
const isAccount = account.map((name, index) => `accounts.${name} = r.value->>${index + 1}`).join(" AND ");

/**
 * What brings the tables from each version to the next one. An account has an id of its own, so that a change takes about 50 bytes instead
 * of 300.
 */
const migrations = [
  ({ types: { id, time, amount, json }, byKey, extra: [afterTime, atEnd] }: Dialect): string => {
    const vote = `proposal TEXT NOT NULL, party TEXT NOT NULL, time ${time} NOT NULL, value TEXT NOT NULL,
      balance ${amount}, weight ${amount}, record ${json} NOT NULL`;
    return `
    CREATE TABLE sync_state (
      list TEXT NOT NULL, query TEXT NOT NULL, position TEXT NOT NULL, start TEXT NOT NULL, PRIMARY KEY (list, query)
    );
    CREATE TABLE accounts (
      id ${id} PRIMARY KEY,
      party TEXT NOT NULL, asset TEXT NOT NULL, market TEXT NOT NULL, account_type TEXT NOT NULL,
      UNIQUE (party, asset, market, account_type)
    );
    CREATE INDEX accounts_by_asset ON accounts (asset);
    CREATE TABLE account_changes (
      account INTEGER NOT NULL REFERENCES accounts, time ${time} NOT NULL, balance ${amount} NOT NULL,
      PRIMARY KEY (account, time)
    )${byKey};
    CREATE INDEX account_changes_by_time ON account_changes (time);
    CREATE VIEW balance_changes AS
      SELECT time, ${afterTime}party, asset, market, account_type, balance${atEnd}
      FROM account_changes JOIN accounts ON accounts.id = account;
    CREATE VIEW balances_now AS
      SELECT party, asset, market, account_type, time, balance FROM accounts JOIN account_changes ON account = accounts.id
      WHERE time = (SELECT max(time) FROM account_changes AS latest WHERE latest.account = accounts.id);
    CREATE TABLE votes (${vote}, PRIMARY KEY (proposal, party))${byKey};
    CREATE INDEX votes_by_party ON votes (party);
    CREATE TABLE votes_history (id ${id} PRIMARY KEY, before ${time} NOT NULL, ${vote});
    CREATE INDEX votes_history_by_vote ON votes_history (proposal, party);
    CREATE TABLE node_signatures (
      resource TEXT NOT NULL, kind TEXT NOT NULL, signature TEXT NOT NULL, PRIMARY KEY (resource, kind, signature)
    )${byKey};
    CREATE TABLE party_profiles (
      party TEXT NOT NULL PRIMARY KEY, alias TEXT NOT NULL, metadata ${json} NOT NULL, derived_keys ${json}
    )${byKey};`;
  },
];

/** The statements that store rows of `$1`, a JSON array of arrays. The first one changes as many rows as are new. */
function insertsOf(dialect: Dialect): { readonly [List in SyncList]: readonly string[] } {
  const { types, time, rows } = dialect;
  // v0.74 nodes can send an empty amount.
  const number = (sql: string) => `CAST(nullif(${sql}, '') AS ${types.amount})`;
  const read: Readonly<Record<RowKind, (sql: string) => string>> = {
    time,
    amount: number,
    decimal: number,
    json: (sql) => `CAST(${sql} AS ${types.json})`,
    text: (sql) => sql,
  };
  const from = rows("$1");
  const valuesOf = (list: SyncList) => {
    const { columns } = tables[list];
    return Object.values(columns).map((kind, index) => read[kind](`r.value->>${index}`));
  };
  const update = (list: SyncList, key: number) => {
    const names = Object.keys(tables[list].columns);
    const rest = names.slice(key).map((name) => `${name} = excluded.${name}`);
    return `ON CONFLICT (${names.slice(0, key)}) DO UPDATE SET ${rest}`;
  };
  const [changeTime, , , , , balance] = valuesOf("balances");
  const votes = Object.keys(tables.votes.columns);
  const isVote = "votes.proposal = r.value->>0 AND votes.party = r.value->>1";
  return {
    balances: [
      // The accounts of most batches are known.
      `INSERT INTO account_changes (account, time, balance) SELECT accounts.id, ${changeTime}, ${balance}
       FROM ${from} CROSS JOIN accounts WHERE ${isAccount}
       ON CONFLICT (account, time) DO UPDATE SET balance = excluded.balance`,
      `INSERT INTO accounts (${account}) SELECT DISTINCT ${account.map((_, index) => `r.value->>${index + 1}`)}
       FROM ${from} LEFT JOIN accounts ON ${isAccount} WHERE accounts.id IS NULL`,
    ],
    votes: [
      // A follower that continues yields votes again that were rewritten without a difference.
      `INSERT INTO votes_history (before, ${votes}) SELECT ${time("$2")}, ${valuesOf("votes")}
       FROM ${from} LEFT JOIN votes ON ${isVote} WHERE votes.record IS NULL OR votes.record <> ${read.json("r.value->>6")}`,
      `INSERT INTO votes (${votes}) SELECT ${valuesOf("votes")} FROM ${from} WHERE true ${update("votes", 2)}`,
    ],
    signatures: [
      `INSERT INTO node_signatures SELECT ${valuesOf("signatures")} FROM ${from} WHERE true ON CONFLICT DO NOTHING`,
    ],
    profiles: [
      `INSERT INTO party_profiles SELECT ${valuesOf("profiles")} FROM ${from} WHERE true ${update("profiles", 1)}`,
    ],
  };
}

export class RelationalDestination implements Destination {
  readonly followsLists = true;
  readonly #database: Database;
  readonly #inserts: ReturnType<typeof insertsOf>;

  private constructor(database: Database) {
    this.#database = database;
    this.#inserts = insertsOf(database.dialect);
  }

  /** Creates the tables, or brings those of an earlier version up to date, unless they are only read. */
  static async open(database: Database, mode: OpenMode): Promise<RelationalDestination> {
    const { name, dialect } = database;
    const names = (await database.query(dialect.tableNames)).flat();
    const isOurs = names.includes("sync_version");
    const [[stored = "0"] = []] = isOurs ? await database.query("SELECT version FROM sync_version") : [];
    const version = Number(stored);
    if (names.length > 0 && !isOurs) {
      throw new ExitError(`${name} has tables that sync has not created. Use another ${dialect.place}.`);
    }
    if (version > migrations.length) {
      throw new ExitError(`${name} has tables of a later version (${version}). Use a newer program.`);
    }
    if (mode === "read") {
      if (version < migrations.length) throw new UsageError(`${name} has no copy: run vegaprotocol sync first.`);
    } else {
      // Also without a migration: it shows that no other process writes.
      await database.write(async () => {
        if (version === migrations.length) return;
        const first = `${dialect.setup ?? ""} CREATE TABLE sync_version (version INTEGER NOT NULL); INSERT INTO sync_version VALUES (0);`;
        const steps = migrations.slice(version).map((migration) => migration(dialect));
        const last = `UPDATE sync_version SET version = ${migrations.length}`;
        await database.execute([isOurs ? "" : first, ...steps, last].join("\n"));
      });
    }
    return new RelationalDestination(database);
  }

  async checkpoint(list: SyncList, query: object): Promise<Checkpoint | undefined> {
    const sql = "SELECT start, position FROM sync_state WHERE list = $1 AND query = $2";
    const [row] = await this.#database.query(sql, [list, canonicalJson(query)]);
    return row && { start: BigInt(row[0] ?? 0), position: BigInt(row[1] ?? 0) };
  }

  async checkpoints(): Promise<StoredList[]> {
    const rows = await this.#database.query("SELECT list, query, start, position FROM sync_state");
    return rows.map(([list, query, start, position]) => ({
      list: list as SyncList,
      query: JSON.parse(query ?? "{}"),
      checkpoint: { start: BigInt(start ?? 0), position: BigInt(position ?? 0) },
    }));
  }

  async store({ list, query, records, checkpoint }: Batch): Promise<number> {
    const all = records.map((record) => {
      if ("timestamp" in record) this.#checkPrecision(record);
      return (rowOf[list] as (record: object) => Row)(record);
    });
    // A statement cannot write a vote twice.
    const rows = list === "votes" ? [...new Map(all.map((row) => [`${row[0]} ${row[1]}`, row])).values()] : all;
    return this.#database.write(async () => {
      if (checkpoint !== undefined) {
        const sql =
          "INSERT INTO sync_state (list, query, position, start) VALUES ($1, $2, $3, $4) " +
          "ON CONFLICT (list, query) DO UPDATE SET position = excluded.position, start = excluded.start";
        const times = [checkpoint.position, checkpoint.start].map(String);
        await this.#database.run(sql, [list, canonicalJson(query), ...times]);
      }
      return this.#insert(list, rows, String(checkpoint?.position ?? 0n));
    });
  }

  async finish(): Promise<undefined> {}

  async newest(filter: BalanceChangesFilter, end = allTimes.end): Promise<BalanceChange | undefined> {
    for await (const record of this.#select(filter, { ...allTimes, end }, "time DESC LIMIT 1")) return record;
    return undefined;
  }

  async *read(filter: BalanceChangesFilter, range: TimeRange): AsyncGenerator<BalanceChange, undefined, undefined> {
    const order = ["asset", "party", "market", "account_type"].map(
      (name) => `${name} ${this.#database.dialect.collation}`,
    );
    yield* this.#select(filter, range, `time, ${order}`);
  }

  async *all<List extends SyncList>(list: List): AsyncGenerator<SyncRecords[List], undefined, undefined> {
    const { name, columns } = tables[list];
    const sql = `SELECT ${this.#columnsOf(list)} FROM ${name}${"time" in columns ? " ORDER BY time" : ""}`;
    for await (const row of this.#database.read(sql)) yield recordOf[list](row);
  }

  /** Every version of votes, by the end of the blocks in which it was written. */
  async *versions(): AsyncGenerator<{ before: bigint; votes: SyncRecords["votes"][] }, undefined, undefined> {
    let group: { before: bigint; votes: SyncRecords["votes"][] } | undefined;
    const before = this.#database.dialect.digits("before");
    const sql = `SELECT ${this.#columnsOf("votes")}, ${before} FROM votes_history ORDER BY before, id`;
    for await (const row of this.#database.read(sql)) {
      const time = BigInt(row.at(-1) ?? 0);
      if (group?.before !== time) {
        if (group) yield group;
        group = { before: time, votes: [] };
      }
      group.votes.push(recordOf.votes(row));
    }
    if (group) yield group;
  }

  describe(error: unknown): unknown {
    return this.#database.describe(error);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Stores rows, and returns how many are new. */
  async #insert(list: SyncList, rows: readonly Row[], before: string): Promise<number> {
    if (rows.length === 0) return 0;
    const json = JSON.stringify(rows);
    const run = (sql = "") => this.#database.run(sql, [json, ...(sql.includes("$2") ? [before] : [])]);
    const [first, second] = this.#inserts[list];
    const added = await run(first);
    if (second !== undefined && (list !== "balances" || added < rows.length)) await run(second);
    if (list !== "balances") return added;
    if (added < rows.length) await run(first);
    return rows.length;
  }

  async *#select(filter: BalanceChangesFilter, range: TimeRange, order: string) {
    const { sql, values } = this.#conditionOf(filter, range);
    const select = `SELECT ${this.#columnsOf("balances")} FROM balance_changes WHERE ${sql} ORDER BY ${order}`;
    for await (const row of this.#database.read(select, values)) yield recordOf.balances(row);
    return undefined;
  }

  /** The columns of a list as text: a time exceeds the integers of JavaScript. */
  #columnsOf(list: SyncList): string[] {
    const { digits } = this.#database.dialect;
    return Object.entries(tables[list].columns).map(([name, kind]) =>
      kind === "time" ? digits(name) : kind === "text" ? name : `CAST(${name} AS TEXT)`,
    );
  }

  #conditionOf(filter: BalanceChangesFilter, { start, end }: TimeRange): { sql: string; values: string[] } {
    const { time, texts, precision } = this.#database.dialect;
    const values = [start, end].map((each) => String(each + precision - 1n));
    let sql = `time >= ${time("$1")} AND time < ${time("$2")}`;
    for (const [column, wanted] of wantedOf(filter)) {
      values.push(JSON.stringify(wanted));
      sql += ` AND ${column} IN (SELECT value FROM ${texts(`$${values.length}`)})`;
    }
    return { sql, values };
  }

  #checkPrecision(record: { readonly timestamp: unknown }): void {
    const { precision } = this.#database.dialect;
    if (precision === 1n || String(record.timestamp).endsWith("000")) return;
    refuse(describe(record), "a time in microseconds", record.timestamp);
  }
}
