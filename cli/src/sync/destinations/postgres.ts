/** A destination in a schema of a PostgreSQL database. */
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import Cursor from "pg-cursor";
import type { BalanceChange, BalanceChangesFilter, Vote } from "vegaprotocol-client";
import { ExitError, UsageError } from "../../errors.js";
import { hidePassword } from "../../shell.js";
import {
  allTimes,
  type BalancesQuery,
  type Batch,
  type Checkpoint,
  canonicalJson,
  type Destination,
  type Part,
  type SyncList,
  type TimeRange,
  wantedOf,
} from "../destination.js";
import { accountOf, balanceOf, describe, type Row, recordOf, refuse, rowOf, timeOf } from "../rows.js";

/** What brings the tables from each version to the next one. */
const migrations = [
  `CREATE TABLE sync_state (
    list TEXT NOT NULL,
    query TEXT NOT NULL,
    position NUMERIC NOT NULL,
    start NUMERIC NOT NULL,
    PRIMARY KEY (list, query)
  );
  CREATE TABLE accounts (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    party TEXT NOT NULL,
    asset TEXT NOT NULL,
    market TEXT NOT NULL,
    account_type TEXT NOT NULL,
    UNIQUE (party, asset, market, account_type)
  );
  CREATE INDEX accounts_by_asset ON accounts (asset);
  CREATE TABLE account_changes (
    account INTEGER NOT NULL REFERENCES accounts,
    time TIMESTAMPTZ NOT NULL,
    balance NUMERIC NOT NULL,
    PRIMARY KEY (account, time)
  );
  CREATE INDEX account_changes_by_time ON account_changes (time);
  CREATE VIEW balance_changes AS
    SELECT time, party, asset, market, account_type, balance FROM account_changes JOIN accounts ON accounts.id = account;
  CREATE VIEW balances_now AS
    SELECT party, asset, market, account_type, time, balance FROM accounts CROSS JOIN LATERAL (
      SELECT time, balance FROM account_changes WHERE account = accounts.id ORDER BY time DESC LIMIT 1
    ) AS latest;
  CREATE TABLE votes (
    proposal TEXT NOT NULL,
    party TEXT NOT NULL,
    time TIMESTAMPTZ NOT NULL,
    value TEXT NOT NULL,
    balance NUMERIC,
    weight NUMERIC,
    record JSONB NOT NULL,
    PRIMARY KEY (proposal, party)
  );
  CREATE INDEX votes_by_party ON votes (party);
  CREATE TABLE votes_history (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    before TIMESTAMPTZ NOT NULL,
    proposal TEXT NOT NULL,
    party TEXT NOT NULL,
    time TIMESTAMPTZ NOT NULL,
    value TEXT NOT NULL,
    balance NUMERIC,
    weight NUMERIC,
    record JSONB NOT NULL
  );
  CREATE INDEX votes_history_by_vote ON votes_history (proposal, party);
  CREATE TABLE node_signatures (
    resource TEXT NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (resource, kind, signature)
  );
  CREATE TABLE party_profiles (party TEXT PRIMARY KEY, alias TEXT NOT NULL, metadata JSONB NOT NULL, derived_keys JSONB);`,
];

/** The SQL of a time in Unix nanoseconds: its column has microseconds. */
const timeFrom = (sql: string) => `TIMESTAMPTZ 'epoch' + (${sql})::bigint / 1000 * INTERVAL '1 microsecond'`;
const rows = "json_array_elements($1::text::json) AS r";

/** What stores the rows of `$1`, a JSON array of arrays, and returns the new ones. */
const inserts: { readonly [List in SyncList]: string } = {
  balances:
    `INSERT INTO account_changes SELECT (r->>0)::integer, ${timeFrom("r->>1")}, (r->>2)::numeric FROM ${rows} ` +
    "ON CONFLICT (account, time) DO UPDATE SET balance = EXCLUDED.balance",
  votes:
    `WITH changed AS (INSERT INTO votes SELECT r->>0, r->>1, ${timeFrom("r->>2")}, r->>3, nullif(r->>4, '')::numeric, ` +
    `nullif(r->>5, '')::numeric, (r->>6)::jsonb FROM ${rows} ON CONFLICT (proposal, party) DO UPDATE SET time = EXCLUDED.time, ` +
    "value = EXCLUDED.value, balance = EXCLUDED.balance, weight = EXCLUDED.weight, record = EXCLUDED.record " +
    "WHERE votes.record <> EXCLUDED.record RETURNING votes.*) INSERT INTO votes_history " +
    `(before, proposal, party, time, value, balance, weight, record) SELECT ${timeFrom("$2::text")}, * FROM changed`,
  signatures: `INSERT INTO node_signatures SELECT r->>0, r->>1, r->>2 FROM ${rows} ON CONFLICT DO NOTHING`,
  profiles:
    `INSERT INTO party_profiles SELECT r->>0, r->>1, (r->>2)::jsonb, (r->>3)::jsonb FROM ${rows} ON CONFLICT (party) DO UPDATE SET ` +
    "alias = EXCLUDED.alias, metadata = EXCLUDED.metadata, derived_keys = EXCLUDED.derived_keys",
};

const columns =
  "(extract(epoch FROM time) * 1000000)::bigint::text || '000' AS time, party, asset, market, account_type, balance::text";
const order = `time, asset COLLATE "C", party COLLATE "C", market COLLATE "C", account_type COLLATE "C"`;

/** How many accounts are remembered with their ids. */
const mostRemembered = 100_000;

/** How long a server that does not respond is waited for, in milliseconds: a restart takes seconds. */
const patience = 300_000;

/** The connection was lost, or the server restarts: a code, or a message of `pg` that has none. */
const transient =
  /^(?:08|57P0|40001|40P01|E(?:CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH)|Connection terminated|timeout e|Client )/;

const reasonOf = (error: unknown): string => {
  const { code, message = "" } = (error ?? {}) as { code?: string; message?: string };
  return code ?? message;
};

export interface PostgresOptions {
  readonly isCheck: boolean;
  readonly schema: string;
  readonly signal: AbortSignal;
}

class PostgresDestination implements Destination {
  readonly followsLists = true;
  readonly #address: string;
  readonly #name: string;
  readonly #signal: AbortSignal;
  readonly #schema: string;
  /** One connection has the lock, and writes. */
  #connection: pg.Client | undefined;
  /** The ids of accounts. After a transaction that was not committed, they are not valid. */
  readonly #accounts = new Map<string, number>();

  constructor(address: string, name: string, { schema, signal }: PostgresOptions) {
    this.#address = address;
    this.#name = name;
    this.#signal = signal;
    this.#schema = schema;
  }

  async #connect(): Promise<pg.Client> {
    if (this.#connection) return this.#connection;
    const client = new pg.Client({
      connectionString: this.#address,
      connectionTimeoutMillis: 10_000,
      application_name: `vegaprotocol ${process.pid} on ${hostname()}`,
    });
    // The next statement connects again. Without a listener, a connection that is lost would end the process.
    client.on("error", () => {
      if (this.#connection === client) this.#connection = undefined;
    });
    await client.connect();
    await client.query(`SET search_path TO ${this.#schema}`);
    this.#connection = client;
    return client;
  }

  /** Sends a statement, and returns its rows. */
  async #query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = await this.#connect();
    return (await client.query(sql, [...values])).rows;
  }

  /** Creates the tables, or brings those of an earlier version up to date. */
  async prepare(isCheck: boolean): Promise<void> {
    const [found] = await this.#query("SELECT to_regclass('sync_version')::text AS own");
    const [stored] = found?.["own"] ? await this.#query("SELECT version FROM sync_version") : [];
    const version = Number(stored?.["version"] ?? 0);
    if (version > migrations.length) {
      throw new ExitError(`${this.#name} has tables of a later version (${version}). Use a newer program.`);
    }
    if (isCheck) {
      if (version < migrations.length)
        throw new UsageError(`Expected a copy to check in ${this.#name}, and there is none.`);
      return;
    }
    await this.#write(async () => {
      if (version === migrations.length) return;
      const [others] = await this.#query("SELECT 1 FROM pg_tables WHERE schemaname = $1", [this.#schema]);
      if (version === 0 && others) {
        throw new ExitError(`${this.#name} has other tables. Use another --schema.`);
      }
      await this.#query(`CREATE SCHEMA IF NOT EXISTS ${this.#schema}`);
      if (version === 0)
        await this.#query("CREATE TABLE sync_version (version INTEGER NOT NULL); INSERT INTO sync_version VALUES (0)");
      for (const migration of migrations.slice(version)) await this.#query(migration);
      await this.#query("UPDATE sync_version SET version = $1", [migrations.length]);
    }, 0);
  }

  async checkpoint(list: SyncList, query: object): Promise<Checkpoint | undefined> {
    const select = "SELECT start::text, position::text FROM sync_state WHERE list = $1 AND query = $2";
    const [row] = await this.#query(select, [list, canonicalJson(query)]);
    return row && { start: BigInt(String(row["start"])), position: BigInt(String(row["position"])) };
  }

  async store({ list, query, records, checkpoint }: Batch): Promise<number> {
    return this.#write(async () => {
      if (checkpoint !== undefined) {
        const insert =
          "INSERT INTO sync_state VALUES ($1, $2, $3::text::numeric, $4::text::numeric) ON CONFLICT (list, query) DO UPDATE SET " +
          "position = EXCLUDED.position, start = EXCLUDED.start";
        await this.#query(insert, [list, canonicalJson(query), String(checkpoint.position), String(checkpoint.start)]);
      }
      if (list === "balances") return this.#addBalances(records as BalanceChange[]);
      const found = new Map<string, Row>();
      for (const record of records) {
        if (list === "votes") microsecondsOf(record as Vote);
        const row = (rowOf[list] as (record: object) => Row)(record);
        // A statement cannot write a vote twice.
        found.set(list === "votes" ? JSON.stringify(row.slice(0, 2)) : JSON.stringify(row), row);
      }
      const before = list === "votes" ? [String(checkpoint?.position ?? 0n)] : [];
      const client = await this.#connect();
      const { rowCount } = await client.query(inserts[list], [JSON.stringify([...found.values()]), ...before]);
      return rowCount ?? 0;
    });
  }

  async finish(): Promise<void> {}

  async newest(filter: BalanceChangesFilter): Promise<BalanceChange | undefined> {
    const { sql, values } = conditionOf(filter, allTimes);
    const select = `SELECT ${columns} FROM balance_changes WHERE ${sql} ORDER BY balance_changes.time DESC LIMIT 1`;
    const [row] = await this.#query(select, values);
    return row && recordOf(Object.values(row) as string[]);
  }

  async count(filter: BalanceChangesFilter, range: TimeRange): Promise<number> {
    const { sql, values } = conditionOf(filter, range);
    const [row] = await this.#query(`SELECT count(*)::int AS count FROM balance_changes WHERE ${sql}`, values);
    return Number(row?.["count"]);
  }

  async *read(filter: BalanceChangesFilter, range: TimeRange): AsyncGenerator<BalanceChange, undefined, undefined> {
    const { sql, values } = conditionOf(filter, range);
    const select = `SELECT ${columns} FROM balance_changes WHERE ${sql} ORDER BY balance_changes.${order}`;
    const cursor = (await this.#connect()).query(new Cursor<Record<string, string>>(select, values));
    try {
      for (let rows = await cursor.read(5000); rows.length > 0; rows = await cursor.read(5000)) {
        for (const row of rows) yield recordOf(Object.values(row));
      }
    } finally {
      await cursor.close();
    }
  }

  async replace({ filter }: BalancesQuery, { start }: TimeRange, parts: AsyncIterable<Part>): Promise<void> {
    let from = start;
    for await (const { records, upTo } of parts) {
      const { sql: condition, values } = conditionOf(filter, { start: from, end: upTo });
      await this.#write(async () => {
        await this.#query(
          `DELETE FROM account_changes USING accounts WHERE accounts.id = account AND ${condition}`,
          values,
        );
        return this.#addBalances(records);
      });
      from = upTo;
    }
  }

  describe(error: unknown): unknown {
    const reason = reasonOf(error);
    const { message = "" } = (error ?? {}) as { message?: string };
    if (transient.test(reason)) {
      const what = reason === "ECONNREFUSED" ? "no server listens there" : message;
      return new ExitError(`Cannot reach ${this.#name}: ${what}.`, undefined, { cause: error });
    }
    if (!(error instanceof pg.DatabaseError)) return error;
    const isReadOnly = reason === "42501" || reason === "25006";
    const advice = isReadOnly ? " Use a user who may create and write tables there." : "";
    return new ExitError(`PostgreSQL cannot use ${this.#name}: ${message}.${advice}`, undefined, { cause: error });
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.end();
  }

  async #addBalances(records: readonly BalanceChange[]): Promise<number> {
    const unknown = new Map<string, string[]>();
    const keys = records.map((record) => {
      const members = accountOf(record);
      const key = JSON.stringify(members);
      if (!this.#accounts.has(key)) unknown.set(key, members);
      return key;
    });
    if (unknown.size > 0) {
      if (this.#accounts.size > mostRemembered) this.#accounts.clear();
      const insert =
        `INSERT INTO accounts (party, asset, market, account_type) SELECT r->>0, r->>1, r->>2, r->>3 FROM ${rows} ` +
        "ON CONFLICT (party, asset, market, account_type) DO UPDATE SET party = EXCLUDED.party " +
        "RETURNING id, json_build_array(party, asset, market, account_type) AS members";
      for (const { id, members } of await this.#query(insert, [JSON.stringify([...unknown.values()])])) {
        this.#accounts.set(JSON.stringify(members), Number(id));
      }
    }
    const values = records.map((record, index) => [
      this.#accounts.get(keys[index] ?? ""),
      microsecondsOf(record),
      balanceOf(record),
    ]);
    if (values.length > 0) await this.#query(inserts.balances, [JSON.stringify(values)]);
    return records.length;
  }

  /**
   * Writes in one transaction, as the only process that does. A connection that is lost is opened again: what may have been committed
   * then is written once more, with the same result.
   */
  async #write<T>(run: () => Promise<T>, wait = patience): Promise<T> {
    const deadline = performance.now() + wait;
    for (;;) {
      try {
        await this.#query("BEGIN");
        await this.#lock();
        const result = await run();
        await this.#query("COMMIT");
        return result;
      } catch (error) {
        this.#accounts.clear();
        if (!transient.test(reasonOf(error))) {
          await this.#query("ROLLBACK").catch(() => this.close());
          throw error;
        }
        await this.close();
        if (performance.now() > deadline) throw error;
        await sleep(500, undefined, { signal: this.#signal });
      }
    }
  }

  /** The lock is that of the connection: it ends with the process. */
  async #lock(): Promise<void> {
    const key = `vegaprotocol ${this.#schema}`;
    const [row] = await this.#query("SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held", [key]);
    if (row?.["held"]) return;
    const owners =
      "SELECT application_name AS name, backend_start::text AS since FROM pg_locks JOIN pg_stat_activity USING (pid) " +
      "WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)";
    const [owner] = await this.#query(owners, [key]);
    const process = owner ? `Process ${owner["name"]}, connected since ${owner["since"]},` : "Another process";
    throw new UsageError(
      `${process.replace("Process vegaprotocol", "Process")} writes ${this.#name}. Wait for it to end.`,
    );
  }
}

/** The time of a record in digits. */
function microsecondsOf(record: { readonly timestamp: string }): string {
  const time = timeOf(record);
  return time.endsWith("000") ? time : refuse(describe(record), "a time in microseconds", time);
}

/** The condition of a filter in SQL, and its values. */
function conditionOf(filter: BalanceChangesFilter, { start, end }: TimeRange) {
  let sql = `time >= ${timeFrom("$1::text")} AND time < ${timeFrom("$2::text")} + INTERVAL '1 microsecond' * ($2::text::bigint % 1000 > 0)::int`;
  const values = [String(start), String(end)];
  for (const [column, wanted] of wantedOf(filter)) {
    values.push(JSON.stringify(wanted));
    sql += ` AND ${column} IN (SELECT json_array_elements_text($${values.length}::text::json))`;
  }
  return { sql, values };
}

/** Connects to a database, and creates the tables. */
export async function openPostgres(address: string, options: PostgresOptions): Promise<Destination> {
  if (!/^[a-z_][a-z\d_]*$/.test(options.schema)) {
    throw new UsageError(`Expected --schema to be a name of lower-case letters, digits and _, got ${options.schema}.`);
  }
  if (!URL.canParse(address))
    throw new UsageError(`Expected DESTINATION to be an address, got ${hidePassword(address)}.`);
  const destination = new PostgresDestination(address, `schema ${options.schema} of ${hidePassword(address)}`, options);
  try {
    await destination.prepare(options.isCheck);
    return destination;
  } catch (error) {
    await destination.close();
    throw destination.describe(error);
  }
}
