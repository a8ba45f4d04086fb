import { once } from "node:events";
import { hostname } from "node:os";
import pg from "pg";
import Cursor from "pg-cursor";
import { ExitError, UsageError } from "../../errors.js";
import { type Destination, hidePassword, type OpenMode } from "../destination.js";
import type { Row } from "../rows.js";
import { type Database, type DatabaseOptions, type Dialect, untilUsable } from "./database.js";
import { openRelational } from "./relational.js";

/**
 * The connection was lost, or the server restarts, or its other clients took all connections first: a code, or a message
 * of `pg` that has none. While a server restarts, its socket or its name can be missing.
 */
const transient =
  /^(?:08|53300|57P0|40001|40P01|E(?:CONN|PIPE|TIMEDOUT|HOST|NET)|ENOENT|ENOTFOUND|EAI_AGAIN|Connection terminated|timeout e|Client )/;
/** A server that does not accept writes, such as a standby before a failover ends. */
const readOnly = "25006";

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
  // The information schema leaves out tables that the user may not read.
  tableNames: `SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('"${schema}"') AND relkind IN ('r', 'p', 'v', 'm')`,
  // It can be a word of SQL, such as "user". IF NOT EXISTS requires the right to create one also if it exists.
  setup: `DO $$ BEGIN IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF; END $$;`,
});

/** What to do after an error, by its code. */
const adviceOf = (mode: OpenMode): Readonly<Record<string, string>> => ({
  "42501": ` Use a user who may ${mode === "read" ? "read all" : "create and write"} tables there.`,
  // Tables of a schema that the user may not use count as missing.
  "42P01": " Use a user with the right USAGE on the schema.",
  [readOnly]: " Use the primary server, with a user who may write.",
  "22P05": " Use a database with the encoding UTF8.",
});

interface PostgresOptions extends DatabaseOptions {
  /** Default: `vega`. */
  readonly schema?: string | undefined;
}

function postgresDatabase(address: string, { mode, schema = "vega", signal, onNotice }: PostgresOptions): Database {
  const name = `schema ${schema} of ${hidePassword(address)}`;
  // Without this, pg takes `require` for `verify-full`, and warns of it. psql does not.
  const connectionString = /[?&]sslmode=(?!no-verify)/.test(address) ? `${address}&uselibpqcompat=true` : address;
  /** One connection has the lock, and writes. */
  let connection: pg.Client | undefined;
  let isWriting = false;
  /** The processes of the server that its connections had. */
  const sessions = new Set<string>();
  let hasWritten = false;
  /** A statement that waits for the server would keep the process from ending. */
  const onAbort = () => void close().catch(() => {});

  const sharedSessionError = () =>
    new ExitError(
      `Expected a session of its own in ${name}, got one that a pooler shares between transactions. ` +
        "Set pool_mode = session in PgBouncer, or use the address of the server itself.",
    );

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
      connectionString,
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
      const session = await sessionOf(client);
      const { processID } = client as pg.Client & { processID: number };
      // Only a pooler has numbers of its own. Its other clients would get the settings and the lock of the session.
      if (session !== `${processID}` && (await isShared(client, session))) throw sharedSessionError();
      // A node can be slow while a comparison reads.
      await client.query(
        `SET search_path TO "${schema}"; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`,
      );
      // All tables are read as of one moment: a sync can write to them meanwhile.
      if (mode === "read") await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      sessions.add(session);
    } catch (error) {
      await close();
      throw error;
    }
    return client;
  }

  /** Whether a pooler gives each transaction a session that is free, which then two connections have in turns. */
  async function isShared(first: pg.Client, session: string): Promise<boolean> {
    // Another pooler may have no second session.
    const second = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 2000 });
    second.on("error", () => {});
    try {
      await second.connect();
      // Other clients of the pooler can have the session meanwhile.
      for (let tries = 0; tries < 5; tries++)
        if ((await sessionOf(second)) === session || (await sessionOf(first)) !== session) return true;
      return false;
    } catch {
      return false;
    } finally {
      await second.end();
    }
  }

  /** Opens a connection that is lost again. */
  const retry = <T>(run: () => Promise<T>) => untilUsable(run, closeIfTemporary, { name, signal, onNotice });
  async function closeIfTemporary(error: unknown): Promise<boolean> {
    const reason = reasonOf(error);
    // After a first connection, the address is right.
    const isRestart = sessions.size > 0 ? transient.test(reason) : reason.startsWith("57P0");
    // A standby can respond until it has become the primary server.
    const isTemporary = isRestart || (hasWritten && reason === readOnly);
    if (isTemporary) await close();
    return isTemporary;
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
    const sql = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))::text, pg_backend_pid()::text";
    const [[isHeld, own] = []] = await query(sql, [key]);
    if (!sessions.has(own ?? "")) {
      await query("SELECT pg_advisory_unlock_all()");
      throw sharedSessionError();
    }
    if (isHeld === "true") return;
    const owners =
      "SELECT pid::text, application_name, backend_start::text FROM pg_locks JOIN pg_stat_activity USING (pid) " +
      "WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0) " +
      "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    const [[session, owner, start] = []] = await query(owners, [key]);
    // The session has ended in the meantime, or the server has not noticed yet that this connection was lost.
    if (!session || sessions.has(session)) {
      if (session) await query("SELECT pg_terminate_backend($1)", [session]);
      throw Object.assign(new Error("an earlier connection of this process still writes"), { code: "57P01" });
    }
    const since = start ? `, connected since ${start},` : "";
    const process = owner ? `Process ${owner}${since}` : "Another process";
    throw new ExitError(`${process.replace("Process vegaprotocol", "Process")} writes ${name}. Wait for it to end.`);
  }

  return {
    name,
    dialect: dialectOf(schema),
    async run(sql, values) {
      const count = (await send(sql, values)).rowCount ?? 0;
      hasWritten ||= count > 0;
      return count;
    },
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
          // A session can have another schema if a pooler shares it.
          await query(`BEGIN; SET LOCAL search_path TO "${schema}"`);
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
        return new ExitError(`Cannot reach ${name}: ${what}.`, cause);
      }
      if (!(cause instanceof pg.DatabaseError)) return cause;
      const advice = adviceOf(mode)[reason] ?? "";
      return new ExitError(`PostgreSQL cannot use ${name}: ${message}.${advice}`, cause);
    },
    close,
  };
}

const sessionOf = async (client: pg.Client): Promise<string> =>
  (await client.query<{ pid: string }>("SELECT pg_backend_pid()::text AS pid")).rows[0]?.pid ?? "";

export async function openPostgres(address: string, options: PostgresOptions): Promise<Destination> {
  const { schema, signal, mode } = options;
  if (schema !== undefined && !/^[a-z_][a-z\d_]*$/.test(schema)) {
    throw new UsageError(`Expected --schema to be a name of lower-case letters, digits and _, got "${schema}".`);
  }
  if (!/^\w+:\/\//.test(address) || !URL.canParse(address)) {
    throw new UsageError(
      `Expected an address of PostgreSQL such as postgres://user@localhost/vega, got "${hidePassword(address)}". Write / ? # and @ of a ` +
        "password as %2F %3F %23 and %40.",
    );
  }
  const database = postgresDatabase(address, options);
  try {
    return await openRelational(database, mode);
  } catch (error) {
    await database.close();
    const described = database.describe(error);
    if (described !== error || error instanceof ExitError || signal.aborted) throw described;
    const { message } = error as Error;
    // An error of TLS or of the password names no server.
    const hint = message.includes("password must be") ? " Write the password in PGPASSWORD or ~/.pgpass." : "";
    throw new ExitError(`Cannot use ${database.name}: ${message}.${hint}`, error);
  }
}
