import { once } from "node:events";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import Cursor from "pg-cursor";
import { ExitError, UsageError } from "../../errors.js";
import { type Destination, hidePassword, type OpenMode } from "../destination.js";
import type { Row } from "../rows.js";
import { type Database, type Dialect, RelationalDestination } from "./relational.js";

/** How long to wait for a server that restarts, in milliseconds. */
const patience = 300_000;

/** The connection was lost, or the server restarts: a code, or a message of `pg` that has none. */
const transient =
  /^(?:08|57P0|40001|40P01|E(?:CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH)|Connection terminated|timeout e|Client )/;

const reasonOf = (error: unknown): string => {
  const { code, message = "" } = (error ?? {}) as { code?: string; message?: string };
  return code ?? message;
};

const dialectOf = (schema: string): Dialect => ({
  place: "--schema",
  types: {
    id: "INTEGER GENERATED ALWAYS AS IDENTITY",
    time: "TIMESTAMPTZ",
    amount: "NUMERIC",
    decimal: "NUMERIC",
    json: "JSONB",
    text: 'TEXT COLLATE "C"',
  },
  byKey: "",
  precision: 1000n,
  time: (digits) => `TIMESTAMPTZ 'epoch' + (${digits})::bigint / 1000 * INTERVAL '1 microsecond'`,
  digits: (time) => `(extract(epoch FROM ${time}) * 1000000)::bigint::text || '000'`,
  rows: (json) => `json_array_elements(${json}::json) AS r(value)`,
  extra: ["", ""],
  difference: (amount, before) => `(${amount} - ${before})`,
  units: (amount, decimals) => `trim_scale(${amount} * ('1e-' || ${decimals})::numeric)`,
  tableNames: `SELECT table_name FROM information_schema.tables WHERE table_schema = '${schema}'`,
  // It can be a word of SQL, such as "user".
  setup: `CREATE SCHEMA IF NOT EXISTS "${schema}";`,
});

interface Options {
  readonly mode: OpenMode;
  readonly schema: string;
  readonly signal: AbortSignal;
}

class PostgresDatabase implements Database {
  readonly dialect: Dialect;
  readonly name: string;
  readonly #address: string;
  readonly #options: Options;
  /** One connection has the lock, and writes. */
  #connection: pg.Client | undefined;
  #isWriting = false;
  /** The processes of the server that its connections had. */
  readonly #sessions = new Set<string>();
  /** A statement that waits for the server would keep the process from ending. */
  readonly #onAbort = () => void this.close().catch(() => {});

  constructor(address: string, options: Options) {
    this.dialect = dialectOf(options.schema);
    this.name = `schema ${options.schema} of ${hidePassword(address)}`;
    this.#address = address;
    this.#options = options;
  }

  run(sql: string, values?: readonly string[]): Promise<Row[]> {
    return this.query(sql, values);
  }

  async query(sql: string, values: readonly string[] = []): Promise<Row[]> {
    const query = { text: sql, values: [...values], rowMode: "array" } as const;
    const send = async () => (await (await this.#connect()).query<string[]>(query)).rows;
    // A transaction is repeated as a whole.
    return this.#isWriting ? send() : this.#retry(send);
  }

  async *read(sql: string, values: readonly string[] = []): AsyncGenerator<Row, undefined> {
    const connection = await this.#connect();
    const cursor = connection.query(new Cursor<string[]>(sql, [...values], { rowMode: "array" }));
    try {
      for (;;) {
        // A cursor does not call back if its connection is lost after its last row. `once` rejects at the error.
        const done = new AbortController();
        const lost = once(connection, "end", { signal: done.signal }) as Promise<never>;
        const rows = await Promise.race([cursor.read(5000), lost]).finally(() => done.abort());
        if (rows.length === 0) return;
        yield* rows;
      }
    } finally {
      void cursor.close(); // The next statement waits for it.
    }
  }

  /** A batch that may have been committed when the connection was lost is written once more, with the same result. */
  write(run: () => Promise<void>): Promise<void> {
    return this.#retry(async () => {
      this.#isWriting = true;
      try {
        await this.run("BEGIN");
        await this.#lock();
        await run();
        await this.run("COMMIT");
      } catch (error) {
        if (!transient.test(reasonOf(error))) await this.run("ROLLBACK").catch(() => this.close());
        throw error;
      } finally {
        this.#isWriting = false;
      }
    });
  }

  /** Opens a connection that is lost again. */
  async #retry<T>(run: () => Promise<T>): Promise<T> {
    const { signal } = this.#options;
    const deadline = performance.now() + patience;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        signal.throwIfAborted();
        const reason = reasonOf(error);
        // After a first connection, the address is right.
        const isRestart = this.#sessions.size > 0 ? transient.test(reason) : reason.startsWith("57P0");
        if (!isRestart || performance.now() > deadline) throw error;
        await this.close();
        await sleep(1000, undefined, { signal });
      }
    }
  }

  describe(error: unknown): unknown {
    const reason = reasonOf(error);
    const { message = "" } = (error ?? {}) as { message?: string };
    if (transient.test(reason)) {
      const what = reason === "ECONNREFUSED" ? "no server listens there" : message;
      return new ExitError(`Cannot reach ${this.name}: ${what}.`, undefined, { cause: error });
    }
    if (!(error instanceof pg.DatabaseError)) return error;
    const isReadOnly = reason === "42501" || reason === "25006";
    const advice = isReadOnly ? " Use a user who may create and write tables there." : "";
    return new ExitError(`PostgreSQL cannot use ${this.name}: ${message}.${advice}`, undefined, { cause: error });
  }

  async close(): Promise<void> {
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.end();
  }

  async #connect(): Promise<pg.Client> {
    if (this.#connection) return this.#connection;
    const client = new pg.Client({
      connectionString: this.#address,
      connectionTimeoutMillis: 10_000,
      application_name: `vegaprotocol ${process.pid} on ${hostname()}`,
    });
    // A connection that is lost fails the next statement: a new one would commit an incomplete transaction.
    client.on("error", () => {});
    this.#connection = client;
    this.#options.signal.addEventListener("abort", this.#onAbort);
    try {
      await client.connect();
      await client.query(`SET search_path TO "${this.#options.schema}"`);
      const { rows } = await client.query<{ pid: string }>("SELECT pg_backend_pid()::text AS pid");
      for (const { pid } of rows) this.#sessions.add(pid);
    } catch (error) {
      await this.close();
      throw error;
    }
    return client;
  }

  /** The connection holds the lock, which ends with the process. */
  async #lock(): Promise<void> {
    const key = `vegaprotocol ${this.#options.schema}`;
    const [[isHeld] = []] = await this.query("SELECT pg_try_advisory_lock(hashtextextended($1, 0))::text", [key]);
    if (isHeld === "true") return;
    const owners =
      "SELECT pid::text, application_name, backend_start::text FROM pg_locks JOIN pg_stat_activity USING (pid) " +
      "WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)";
    const [[session, name, start] = []] = await this.query(owners, [key]);
    // The session has ended in the meantime, or the server has not noticed yet that this connection was lost.
    if (!session || this.#sessions.has(session)) {
      if (session) await this.query("SELECT pg_terminate_backend($1)", [session]);
      throw Object.assign(new Error("an earlier connection of this process still writes"), { code: "57P01" });
    }
    const process = name ? `Process ${name}, connected since ${start},` : "Another process";
    throw new UsageError(
      `${process.replace("Process vegaprotocol", "Process")} writes ${this.name}. Wait for it to end.`,
    );
  }
}

export async function openPostgres(address: string, options: Options): Promise<Destination> {
  if (!/^[a-z_][a-z\d_]*$/.test(options.schema)) {
    throw new UsageError(`Expected --schema to be a name of lower-case letters, digits and _, got ${options.schema}.`);
  }
  if (!/^\w+:\/\//.test(address) || !URL.canParse(address)) {
    throw new UsageError(
      `Expected an address of PostgreSQL such as postgres://user@localhost/vega, got ${hidePassword(address)}. Write / ? # and @ of a ` +
        "password as %2F %3F %23 and %40.",
    );
  }
  const database = new PostgresDatabase(address, options);
  try {
    return await RelationalDestination.open(database, options.mode);
  } catch (error) {
    await database.close();
    throw database.describe(error);
  }
}
