import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "../../../test/support/free-port.js";
import { kill } from "../../../test/support/run.js";

/** The programs of PostgreSQL, such as Debian's package `postgresql`; `undefined` if it is not installed. */
function findPrograms(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const bin = versions.map((version) => join(root, version, "bin")).find((each) => existsSync(join(each, "initdb")));
  return bin ?? (spawnSync("initdb", ["--version"]).error ? undefined : "");
}

const programs = findPrograms();
export const hasPostgres = programs !== undefined;

/** Waits for a server to start. Benchmarks use it as well, and `waitFor` of vitest works in tests only. */
async function untilReady(connect: () => Promise<unknown>): Promise<void> {
  for (const end = Date.now() + 30_000; ; await setTimeout(100)) {
    try {
      await connect();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** PostgreSQL does not run as root. */
const isRoot = process.getuid?.() === 0;
const asOwner = (program: string, args: readonly string[]): [string, string[]] => {
  const path = programs ? join(programs, program) : program;
  return isRoot
    ? ["setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", path, ...args]]
    : [path, [...args]];
};

/** 64-bit integers are exact. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as "text");

/** A server of its own, in a folder that is removed at the end. */
export async function startPostgres(...settings: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  execFileSync(...asOwner("initdb", ["-D", data, "-U", "owner", "--auth=trust", "--no-sync"]), { stdio: "ignore" });
  const port = await freePort();
  const url = `postgres://owner:secret@127.0.0.1:${port}/postgres`;
  const set = ["listen_addresses=127.0.0.1", ...settings].flatMap((setting) => ["-c", setting]);
  const options = ["-D", data, "-p", String(port), "-k", folder, ...set];
  const start = () => spawn(...asOwner("postgres", options), { stdio: "ignore" });
  let child = start();
  const pool = new pg.Pool({ connectionString: url, max: 1, types: { getTypeParser } });
  // A connection that is lost when the server ends is opened again.
  pool.on("error", () => {});
  const sql = async (text: string) => (await pool.query(text)).rows;
  const isReady = () =>
    untilReady(() => {
      // A server that was killed leaves processes, which keep the next one from starting until they have ended.
      if (child.exitCode !== null) child = start();
      return sql("SELECT 1");
    });
  await isReady();
  return {
    url,
    /** Its address over a socket in its folder. */
    socketUrl: `postgres:///postgres?host=${folder}&port=${port}&user=owner`,
    sql,
    /** Ends the server as `kill` does, and starts it again. */
    async restart(signal: NodeJS.Signals) {
      await kill(child, signal);
      child = start();
      await isReady();
    },
    async close() {
      await pool.end();
      await kill(child, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const hasPgBouncer = spawnSync("pgbouncer", ["--version"]).error === undefined;

/** PgBouncer for a server, in a folder that is removed at the end. */
export async function startPgBouncer(server: string, mode: "session" | "transaction" | "statement") {
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  chmodSync(folder, 0o777);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
    * = host=127.0.0.1 port=${new URL(server).port} user=owner
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${port}
    unix_socket_dir =
    auth_type = any
    pool_mode = ${mode}`,
  );
  const owner = isRoot ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const [command = "", ...args] = [...(isRoot ? ["setpriv", ...owner] : []), "pgbouncer", "--quiet", file];
  const child = spawn(command, args, { stdio: "ignore" });
  const url = `postgres://owner:secret@127.0.0.1:${port}/postgres`;
  await untilReady(async () => {
    const client = new pg.Client(url);
    await client.connect();
    await client.end();
  });
  return {
    url,
    async close() {
      await kill(child, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Gives a test file a server, if PostgreSQL is installed. */
export function usePostgres() {
  let server: Awaited<ReturnType<typeof startPostgres>> | undefined;
  beforeAll(async () => {
    // Nothing is lost without it unless the machine fails.
    if (hasPostgres) server = await startPostgres("fsync=off");
  }, 60_000);
  afterAll(() => server?.close(), 60_000);
  return () => server;
}
