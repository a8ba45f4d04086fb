/** A destination in an SQLite database, with `node:sqlite`. */
import { statSync } from "node:fs";
import type { BalanceChange, BalanceChangesFilter, Vote } from "vegaprotocol-client";
import { ExitError, UsageError } from "../../errors.js";
import { followLink } from "../../output/target.js";
import { loadSqlite, type Sqlite, type SqliteStatement, type SqliteValue } from "../../sqlite.js";
import {
  allTimes,
  type BalancesQuery,
  type Batch,
  type Checkpoint,
  canonicalJson,
  type Destination,
  type Part,
  type SyncList,
  type SyncRecords,
  type TimeRange,
  wantedOf,
} from "../destination.js";
import { lock } from "../lock.js";
import { accountOf, balanceOf, checkTime, type Row, recordOf, rowOf, timeOf } from "../rows.js";

/** The form of the tables. A later version of the package that changes them increases it. */
const version = 4;

/** The columns of an account and of a time, for views. */
const account = "accounts.party, accounts.asset, accounts.market, accounts.account_type";
const readable = "strftime('%Y-%m-%dT%H:%M:%S', time / 1000000000, 'unixepoch') || printf('.%09dZ', time % 1000000000)";

/** Some digits of a balance as an integer: those before the last ones. */
const digits = (last: number, count: number) =>
  `CAST(substr(substr(balance, 1, max(0, length(balance) - ${last})), -${count}) AS INTEGER)`;

/**
 * An account has an id of its own, so that a change takes about 50 bytes instead of 300. Balances are text, because they can have 256
 * bits, which are 78 digits. A view divides them into integers of at most 18 digits, whose sums are exact.
 */
const schema = `
  CREATE TABLE sync_state (
    list TEXT NOT NULL,
    query TEXT NOT NULL,
    position TEXT NOT NULL,
    start TEXT NOT NULL,
    PRIMARY KEY (list, query)
  ) WITHOUT ROWID;

  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    party TEXT NOT NULL,
    asset TEXT NOT NULL,
    market TEXT NOT NULL,
    account_type TEXT NOT NULL,
    UNIQUE (party, asset, market, account_type)
  );
  CREATE INDEX accounts_by_asset ON accounts (asset);
  CREATE TABLE account_changes (
    account INTEGER NOT NULL REFERENCES accounts,
    time INTEGER NOT NULL,
    balance TEXT NOT NULL,
    PRIMARY KEY (account, time)
  ) WITHOUT ROWID;
  CREATE INDEX account_changes_by_time ON account_changes (time);

  CREATE VIEW balance_changes AS
    SELECT time, ${readable} AS utc, ${account}, balance,
      printf('%03d', length(balance)) || balance AS sort_key,
      ${digits(60, 18)} AS highest,
      ${digits(42, 18)} AS higher,
      ${digits(24, 18)} AS high,
      ${digits(12, 12)} AS middle,
      ${digits(0, 12)} AS low
    FROM account_changes JOIN accounts ON accounts.id = account;
  CREATE VIEW balances_now AS
    SELECT ${account}, time, balance
    FROM accounts JOIN account_changes ON account = accounts.id
    WHERE time = (SELECT max(time) FROM account_changes AS latest WHERE latest.account = accounts.id);

  CREATE TABLE votes (
    proposal TEXT NOT NULL,
    party TEXT NOT NULL,
    time INTEGER NOT NULL,
    value TEXT NOT NULL,
    balance TEXT NOT NULL,
    weight TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (proposal, party)
  ) WITHOUT ROWID;
  CREATE INDEX votes_by_party ON votes (party);
  CREATE TABLE votes_history (
    id INTEGER PRIMARY KEY,
    proposal TEXT NOT NULL,
    party TEXT NOT NULL,
    before INTEGER NOT NULL,
    time INTEGER NOT NULL,
    value TEXT NOT NULL,
    balance TEXT NOT NULL,
    weight TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX votes_history_by_vote ON votes_history (proposal, party);

  CREATE TABLE node_signatures (
    resource TEXT NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (resource, kind, signature)
  ) WITHOUT ROWID;

  CREATE TABLE party_profiles (
    party TEXT PRIMARY KEY NOT NULL,
    alias TEXT NOT NULL,
    metadata TEXT NOT NULL,
    derived_keys TEXT
  ) WITHOUT ROWID;

  PRAGMA user_version = ${version};
`;

type Texts = Readonly<Record<string, string>>;

const changes = "account_changes JOIN accounts ON accounts.id = account";

/** How many accounts are remembered with their ids. Another one is found in the database. */
const mostRemembered = 10_000;

const inserts: { readonly [List in "signatures" | "profiles"]: string } = {
  signatures: "INSERT OR IGNORE INTO node_signatures VALUES (?, ?, ?)",
  profiles: "INSERT OR REPLACE INTO party_profiles VALUES (?, ?, ?, ?)",
};

export class SqliteDestination implements Destination {
  readonly followsLists = true;
  readonly #database: Sqlite;
  readonly #name: string;
  readonly #release: () => Promise<void>;
  readonly #statements = new Map<string, SqliteStatement>();
  /** The ids of accounts that were looked up. After a transaction that was not committed, they are not valid. */
  readonly #accounts = new Map<string, SqliteValue>();

  /**
   * An empty database gets its tables.
   *
   * @throws {@link ExitError} if it has other tables.
   */
  constructor(database: Sqlite, name = ":memory:", release = async () => {}) {
    this.#database = database;
    this.#name = name;
    this.#release = release;
    database.exec("PRAGMA busy_timeout = 5000");
    const { user_version: found } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    const { count, isOurs } = database
      .prepare("SELECT count(*) AS count, sum(name = 'sync_state') AS isOurs FROM sqlite_schema")
      .get() as { count: number; isOurs: number | null };
    const isEmpty = found === 0 && count === 0;
    if (!isEmpty && !(found === version && isOurs)) {
      throw new ExitError(
        `Expected a database that sync has created (version ${version}), or an empty one, got one of version ${found} with ` +
          `${count} tables and indexes. Use another file.`,
      );
    }
    // What follows changes the file.
    database.exec("PRAGMA journal_mode = WAL");
    // A transaction that a power failure takes away is read again: the checkpoint goes with it.
    database.exec("PRAGMA synchronous = NORMAL");
    if (isEmpty) this.#transaction(() => database.exec(schema));
  }

  async checkpoint(list: SyncList, query: object): Promise<Checkpoint | undefined> {
    const sql = "SELECT start, position FROM sync_state WHERE list = ? AND query = ?";
    const row = this.#prepare(sql).get(list, canonicalJson(query)) as Texts | undefined;
    return row && { start: BigInt(row["start"] ?? 0), position: BigInt(row["position"] ?? 0) };
  }

  /** How far each list is stored. */
  checkpoints(): { list: SyncList; query: object; checkpoint: Checkpoint }[] {
    const rows = this.#prepare("SELECT list, query, start, position FROM sync_state").all() as Texts[];
    return rows.map(({ list, query = "{}", start = "0", position = "0" }) => ({
      list: list as SyncList,
      query: JSON.parse(query),
      checkpoint: { start: BigInt(start), position: BigInt(position) },
    }));
  }

  async store({ list, query, records, checkpoint }: Batch): Promise<number> {
    return this.#transaction(() => {
      if (checkpoint !== undefined) {
        const times = [checkpoint.position, checkpoint.start].map((time) =>
          checkTime(String(time), () => "the block of the node"),
        );
        const sql = "INSERT OR REPLACE INTO sync_state (list, query, position, start) VALUES (?, ?, ?, ?)";
        this.#prepare(sql).run(list, canonicalJson(query), ...times);
      }
      if (list === "balances") return this.#addBalances(records as BalanceChange[]);
      if (list === "votes") return this.#addVotes(records as Vote[], checkpoint?.position ?? 0n);
      const insert = this.#prepare(inserts[list]);
      for (const record of records) insert.run(...(rowOf[list] as (record: object) => Row)(record));
      return records.length;
    });
  }

  async finish(): Promise<void> {}

  async newest(filter: BalanceChangesFilter): Promise<BalanceChange | undefined> {
    for await (const record of this.#select(filter, allTimes, "account_changes.time DESC LIMIT 1")) return record;
    return undefined;
  }

  async count(filter: BalanceChangesFilter, range: TimeRange): Promise<number> {
    const { sql, values } = conditionOf(filter, range);
    const row = this.#database.prepare(`SELECT count(*) AS count FROM ${changes} WHERE ${sql}`).get(...values);
    return Number((row as { count: number }).count);
  }

  async *read(filter: BalanceChangesFilter, range: TimeRange): AsyncGenerator<BalanceChange, undefined, undefined> {
    yield* this.#select(filter, range, "account_changes.time, asset, party, market, account_type");
  }

  async replace({ filter }: BalancesQuery, { start }: TimeRange, parts: AsyncIterable<Part>): Promise<void> {
    let from = start;
    for await (const { records, upTo } of parts) {
      this.#transaction(() => {
        const { sql, values } = conditionOf(filter, { start: from, end: upTo });
        const found = `SELECT account, time FROM ${changes} WHERE ${sql}`;
        this.#database.prepare(`DELETE FROM account_changes WHERE (account, time) IN (${found})`).run(...values);
        this.#addBalances(records);
      });
      from = upTo;
    }
  }

  describe(error: unknown): unknown {
    return describeError(error, this.#name);
  }

  async close(): Promise<void> {
    this.#database.close();
    await this.#release();
  }

  /** The records of a list, in order of time if they have one. */
  *all(list: SyncList): Generator<SyncRecords[SyncList], undefined, undefined> {
    if (list === "balances") return yield* this.#select({}, allTimes, "account_changes.time");
    const sql = {
      votes: "SELECT record FROM votes ORDER BY time",
      signatures: "SELECT resource, kind, signature FROM node_signatures",
      profiles: "SELECT party, alias, metadata, derived_keys FROM party_profiles",
    }[list];
    for (const row of this.#prepare(sql).iterate() as Iterable<Texts>) {
      const { record = "{}", resource: id, kind, signature: sig, party: partyId, alias, metadata = "[]" } = row;
      const { derived_keys: keys } = row;
      const profile = {
        partyId,
        alias,
        metadata: JSON.parse(metadata),
        ...(keys && { derivedKeys: JSON.parse(keys) }),
      };
      yield { votes: JSON.parse(record), signatures: { id, kind, sig }, profiles: profile }[list];
    }
  }

  /** Every version of votes, by the end of the blocks in which they were written. */
  *versions(): Generator<{ before: bigint; votes: Vote[] }, undefined, undefined> {
    const sql = "SELECT CAST(before AS TEXT) AS before, record FROM votes_history ORDER BY votes_history.before, id";
    let group: { before: bigint; votes: Vote[] } | undefined;
    for (const { before = "0", record = "{}" } of this.#prepare(sql).iterate() as Iterable<Texts>) {
      if (group?.before !== BigInt(before)) {
        if (group) yield group;
        group = { before: BigInt(before), votes: [] };
      }
      group.votes.push(JSON.parse(record));
    }
    if (group) yield group;
  }

  *#select(filter: BalanceChangesFilter, range: TimeRange, order: string) {
    const { sql, values } = conditionOf(filter, range);
    // A time exceeds the integers of JavaScript.
    const columns = "CAST(time AS TEXT) AS time, party, asset, market, account_type, balance";
    const rows = this.#database.prepare(`SELECT ${columns} FROM ${changes} WHERE ${sql} ORDER BY ${order}`);
    for (const row of rows.iterate(...values) as Iterable<Texts>) yield recordOf(Object.values(row));
    return undefined;
  }

  #addBalances(records: readonly BalanceChange[]): number {
    const insert = this.#prepare("INSERT OR REPLACE INTO account_changes VALUES (?, ?, ?)");
    for (const record of records) insert.run(this.#accountOf(record), timeOf(record), balanceOf(record));
    return records.length;
  }

  #accountOf(record: BalanceChange): SqliteValue {
    const members = accountOf(record);
    const key = JSON.stringify(members);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const find = "SELECT id FROM accounts WHERE party = ? AND asset = ? AND market = ? AND account_type = ?";
    const found = this.#prepare(find).get(...members) as { id: number } | undefined;
    const insert = "INSERT INTO accounts (party, asset, market, account_type) VALUES (?, ?, ?, ?)";
    const id = found?.id ?? this.#prepare(insert).run(...members).lastInsertRowid;
    if (this.#accounts.size >= mostRemembered) this.#accounts.clear();
    this.#accounts.set(key, id);
    return id;
  }

  /** Stores the last version of each vote, and every version. Returns how many are new or differ. */
  #addVotes(votes: readonly Vote[], upTo: bigint): number {
    const columns = "proposal, party, time, value, balance, weight, record";
    let added = 0;
    for (const vote of votes) {
      const row = rowOf.votes(vote);
      const [proposal = "", party = ""] = row;
      const sql = "SELECT record FROM votes WHERE proposal = ? AND party = ?";
      const stored = this.#prepare(sql).get(proposal, party) as Texts | undefined;
      // A follower that continues yields votes again that were rewritten without a difference.
      if (stored?.["record"] === row.at(-1)) continue;
      this.#prepare(`INSERT OR REPLACE INTO votes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`).run(...row);
      const history = `INSERT INTO votes_history (before, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
      this.#prepare(history).run(String(upTo), ...row);
      added++;
    }
    return added;
  }

  #prepare(sql: string): SqliteStatement {
    const prepared = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  /** Runs a function in one transaction: a process that is killed has stored everything or nothing. */
  #transaction<T>(run: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = run();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // SQLite has done so itself, as on a full disk.
      }
      throw error;
    }
  }
}

/** The condition of a filter in SQL, and its values. SQLite converts the digits: a JavaScript number would not be exact. */
function conditionOf(filter: BalanceChangesFilter, { start, end }: TimeRange): { sql: string; values: string[] } {
  let sql = "account_changes.time >= CAST(? AS INTEGER) AND account_changes.time < CAST(? AS INTEGER)";
  const values = [String(start), String(end)];
  for (const [column, wanted] of wantedOf(filter)) {
    sql += ` AND accounts.${column} IN (${wanted.map(() => "?").join(", ")})`;
    values.push(...wanted);
  }
  return { sql, values };
}

/**
 * Opens a database, and locks it for this process.
 *
 * @param mustExist - Whether a file that is not there is an error. SQLite would create it.
 */
export async function openSqlite(name: string, mustExist: boolean): Promise<SqliteDestination> {
  const open = loadSqlite("sync");
  // One lock is for all names of a file.
  const path = fileOf(name, mustExist);
  const release = await lock(path);
  let database: Sqlite | undefined;
  try {
    database = open(path);
    return new SqliteDestination(database, name, release);
  } catch (error) {
    database?.close();
    await release();
    throw describeError(error, name);
  }
}

/** The file behind symbolic links. */
function fileOf(name: string, mustExist: boolean): string {
  const path = followLink(name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new UsageError(`Expected DESTINATION to be a regular file, got ${name}.`);
  if (mustExist && !found) {
    throw new UsageError(`Expected DESTINATION to be a database to check, and ${name} does not exist.`);
  }
  if (found && found.nlink > 1) {
    throw new UsageError(
      `Expected DESTINATION to have one name, and ${name} has ${found.nlink} (hard links): SQLite would lose what is written by ` +
        "another one. Copy the file, or remove the other names.",
    );
  }
  return path;
}

/** The result code of SQLite for a full disk. */
const full = 13;

/** Names the file of an error of SQLite. */
function describeError(error: unknown, name: string): unknown {
  const { code, errcode, message } = (error ?? {}) as { code?: string; errcode?: number; message?: string };
  if (code !== "ERR_SQLITE_ERROR") return error;
  const advice = errcode === full ? " Free some space, and repeat the command." : "";
  return new ExitError(`SQLite cannot use ${name}: ${message}.${advice}`, undefined, { cause: error });
}
