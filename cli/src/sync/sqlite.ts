/** SQLite: `node:sqlite`, or `libsql` on versions of Node.js that do not have it. It also locks destinations. */
import { rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { ExitError, UsageError } from "../errors.js";
import { fileId, writeError } from "../output/file.js";

interface Statement {
  run(...values: object[]): { changes: number | bigint };
  all(...values: object[]): object[];
  get(...values: object[]): object | undefined;
  iterate(...values: object[]): Iterable<object>;
}

/** The common interface of both libraries. The types of Node.js 20 lack `node:sqlite`. */
export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type SqliteClass = new (path: string) => Sqlite;

export async function loadSqlite(): Promise<(path: string) => Sqlite> {
  const { emitWarning } = process;
  // Node.js 22 warns that SQLite is experimental: people who run a command cannot act on that.
  process.emitWarning = () => {};
  const own = process.getBuiltinModule?.("node:sqlite") as { DatabaseSync: SqliteClass } | undefined;
  process.emitWarning = emitWarning;
  const Database = own?.DatabaseSync ?? (await import("libsql").catch(() => undefined))?.default;
  if (Database !== undefined) return (path) => new (Database as SqliteClass)(path);
  throw new UsageError(
    `A local copy needs SQLite, which Node.js ${process.version} does not have. Use Node.js 22.13 or later, or install the optional ` +
      "package libsql if it supports this system.",
  );
}

export const sqliteCodes = { busy: 5, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, noDatabase: 26 } as const;

export function sqliteCode(error: unknown): number | undefined {
  const { code, errcode, rawCode = errcode } = (error ?? {}) as { code?: string; errcode?: number; rawCode?: number };
  // libsql has codes such as UNKNOWN_SQLITE_ERROR_1544.
  return /SQLITE_/.test(String(code)) ? (rawCode ?? 1) & 0xff : undefined;
}

/**
 * Locks a destination for this process, by a transaction in a small database next to it: two names of one file share a
 * lock. The operating system ends it with the process, and it holds between containers, whose processes can have the
 * same id and host name.
 *
 * @param name - The path behind links.
 * @param path - The file of the lock. For a folder, a file inside it: containers can mount it under different names.
 * @returns The function that releases the lock.
 */
export async function lock(name: string, path = `${name}.lock`): Promise<() => Promise<void>> {
  const own = `Process ${process.pid} on ${hostname()}`;
  /** `undefined` if the process that had the lock has removed its file. */
  const fileNow = async () => (await stat(path).catch(() => undefined))?.ino;
  try {
    const open = await loadSqlite();
    for (;;) {
      // An error of the file system is clearer than SQLite's error.
      await writeFile(path, "", { flag: "a" });
      const file = await fileNow();
      const database = open(path);
      const { owner, error } = claim(database, own);
      // The process that had the lock removes its file: SQLite then fails, or locks a file that no other process sees.
      const isThere = file !== undefined && file === (await fileNow());
      if (isThere && owner === undefined && error === undefined) return () => release(path, database);
      database.close();
      if (owner !== undefined) throw new ExitError(`${owner} writes ${name}. Wait for it to end.`);
      if (isThere) throw error;
    }
  } catch (error) {
    const code = sqliteCode(error);
    if (code === sqliteCodes.corrupt || code === sqliteCodes.noDatabase) {
      throw new ExitError(`The lock file ${path} is damaged. Remove it if no other process writes ${name}.`);
    }
    throw writeError(name, code === sqliteCodes.full ? { code: "ENOSPC" } : error);
  }
}

/** Returns a function that throws once a name leads to another file or folder: writes would go to the wrong place. */
export function refuseMoved(name: string, what: "file" | "folder"): () => void {
  const id = fileId(name);
  return () => {
    if (fileId(name) === id) return;
    throw new ExitError(
      `Expected ${name} to be the ${what} that this run has opened, but it was moved, removed or replaced. Run sync again to continue with ` +
        `the ${what} that is there.`,
    );
  };
}

/** Begins the transaction that is the lock. Returns who has it if another process does, or why it failed. */
function claim(database: Sqlite, own: string): { owner?: string; error?: unknown } {
  try {
    database.exec("PRAGMA busy_timeout = 100; PRAGMA page_size = 512; BEGIN IMMEDIATE");
    database.exec(`DROP TABLE IF EXISTS owner; CREATE TABLE owner AS SELECT '${own}' AS name; COMMIT`);
    database.exec("BEGIN IMMEDIATE");
    return {};
  } catch (error) {
    if (sqliteCode(error) !== sqliteCodes.busy) return { error };
    try {
      const [owner] = database.prepare("SELECT name FROM owner").all() as { name: string }[];
      return { owner: owner?.name ?? "Another process" };
    } catch {
      return { owner: "Another process" };
    }
  }
}

async function release(path: string, database: Sqlite): Promise<void> {
  // While it is locked: afterwards another process can own it. Windows removes no file that is open.
  const isWindows = process.platform === "win32";
  if (!isWindows) await rm(path, { force: true });
  database.close();
  if (isWindows) await rm(path, { force: true }).catch(() => {});
}
