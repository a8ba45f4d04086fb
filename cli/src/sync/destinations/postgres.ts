import { once } from "node:events";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import Cursor from "pg-cursor";
import { ExitError, UsageError } from "../../errors.js";
import { type Destination, hidePassword, type OpenMode } from "../destination.js";
import type { Row } from "../rows.js";
import type { Database, Dialect } from "./database.js";
import { openRelational } from "./relational.js";

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

function postgresDatabase(address: string, schema: string, signal: AbortSignal): Database {
  const name = `schema ${schema} of ${hidePassword(address)}`;
  /** One connection has the lock, and writes. */
  let connection: pg.Client | undefined;
  let isWriting = false;
  /** The processes of the server that its connections had. */
  const sessions = new Set<string>();
  /** A statement that waits for the server would keep the process from ending. */
  const onAbort = () => void close().catch(() => {});

  async function close(): Promise<void> {
    signal.removeEventListener("abort", onAbort);
    const closed = connection;
    connection = undefined;
    await closed?.end();
  }

  async function connect(): Promise<pg.Client> {
    // A batch that is being written when the signal is aborted ends with its connection.
    signal.throwIfAborted();
    if (connection) return connection;
    const client = new pg.Client({
      connectionString: address,
      connectionTimeoutMillis: 10_000,
      application_name: `vegaprotocol ${process.pid} on ${hostname()}`,
    });
    // A connection that is lost fails the next statement: a new one would commit an incomplete transaction.
    client.on("error", () => {});
    connection = client;
    signal.addEventListener("abort", onAbort);
    // pg does not settle `connect` if the client is ended meanwhile.
    const ended = once(client, "end").then(() => Promise.reject(new Error("Connection terminated")));
    ended.catch(() => {});
    try {
      await Promise.race([client.connect(), ended]);
      await client.query(`SET search_path TO "${schema}"`);
      const { rows } = await client.query<{ pid: string }>("SELECT pg_backend_pid()::text AS pid");
      for (const { pid } of rows) sessions.add(pid);
    } catch (error) {
      await close();
      throw error;
    }
    return client;
  }

  /** Opens a connection that is lost again. */
  async function retry<T>(run: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + patience;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        signal.throwIfAborted();
        const reason = reasonOf(error);
        // After a first connection, the address is right.
        const isRestart = sessions.size > 0 ? transient.test(reason) : reason.startsWith("57P0");
        if (!isRestart || performance.now() > deadline) throw error;
        await close();
        await sleep(1000, undefined, { signal });
      }
    }
  }

  async function send(sql: string, values: readonly string[] = []) {
    const statement = { text: sql, values: [...values], rowMode: "array" } as const;
    const sendOnce = async () => (await connect()).query<string[]>(statement);
    // A transaction is repeated as a whole.
    return isWriting ? sendOnce() : retry(sendOnce);
  }
  const query = async (sql: string, values?: readonly string[]): Promise<Row[]> => (await send(sql, values)).rows;

  /** The connection holds the lock, which ends with the process. */
  async function lock(): Promise<void> {
    const key = `vegaprotocol ${schema}`;
    const [[isHeld] = []] = await query("SELECT pg_try_advisory_lock(hashtextextended($1, 0))::text", [key]);
    if (isHeld === "true") return;
    const owners =
      "SELECT pid::text, application_name, backend_start::text FROM pg_locks JOIN pg_stat_activity USING (pid) " +
      "WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)";
    const [[session, owner, start] = []] = await query(owners, [key]);
    // The session has ended in the meantime, or the server has not noticed yet that this connection was lost.
    if (!session || sessions.has(session)) {
      if (session) await query("SELECT pg_terminate_backend($1)", [session]);
      throw Object.assign(new Error("an earlier connection of this process still writes"), { code: "57P01" });
    }
    const process = owner ? `Process ${owner}, connected since ${start},` : "Another process";
    throw new ExitError(`${process.replace("Process vegaprotocol", "Process")} writes ${name}. Wait for it to end.`);
  }

  return {
    name,
    dialect: dialectOf(schema),
    run: async (sql, values) => (await send(sql, values)).rowCount ?? 0,
    query,
    async *read(sql, values = []) {
      const client = await connect();
      const cursor = client.query(new Cursor<string[]>(sql, [...values], { rowMode: "array" }));
      try {
        for (;;) {
          // A cursor does not call back if its connection is lost after its last row. `once` rejects at the error.
          const done = new AbortController();
          const lost = once(client, "end", { signal: done.signal }) as Promise<never>;
          const rows = await Promise.race([cursor.read(5000), lost]).finally(() => done.abort());
          if (rows.length === 0) return;
          yield* rows;
        }
      } finally {
        void cursor.close(); // The next statement waits for it.
      }
    },
    /** A batch that may have been committed when the connection was lost is written once more, with the same result. */
    write: (run) =>
      retry(async () => {
        isWriting = true;
        try {
          await query("BEGIN");
          await lock();
          await run();
          await query("COMMIT");
        } catch (error) {
          if (!transient.test(reasonOf(error))) await query("ROLLBACK").catch(close);
          throw error;
        } finally {
          isWriting = false;
        }
      }),
    describe(cause) {
      const reason = reasonOf(cause);
      const { message = "" } = (cause ?? {}) as { message?: string };
      if (transient.test(reason)) {
        const what = reason === "ECONNREFUSED" ? "no server listens there" : message;
        return new ExitError(`Cannot reach ${name}: ${what}.`, undefined, { cause });
      }
      if (!(cause instanceof pg.DatabaseError)) return cause;
      const isReadOnly = reason === "42501" || reason === "25006";
      const advice = isReadOnly ? " Use a user who may create and write tables there." : "";
      return new ExitError(`PostgreSQL cannot use ${name}: ${message}.${advice}`, undefined, { cause });
    },
    close,
  };
}

export async function openPostgres(
  address: string,
  mode: OpenMode,
  schema: string,
  signal: AbortSignal,
): Promise<Destination> {
  if (!/^[a-z_][a-z\d_]*$/.test(schema)) {
    throw new UsageError(`Expected --schema to be a name of lower-case letters, digits and _, got "${schema}".`);
  }
  if (!/^\w+:\/\//.test(address) || !URL.canParse(address)) {
    throw new UsageError(
      `Expected an address of PostgreSQL such as postgres://user@localhost/vega, got "${hidePassword(address)}". Write / ? # and @ of a ` +
        "password as %2F %3F %23 and %40.",
    );
  }
  const database = postgresDatabase(address, schema, signal);
  try {
    return await openRelational(database, mode);
  } catch (error) {
    await database.close();
    throw database.describe(error);
  }
}
