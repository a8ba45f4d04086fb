/** SQLite: `node:sqlite`, or `libsql` on versions of Node.js that do not have it. */
import { UsageError } from "../errors.js";

interface Statement {
  run(...values: object[]): unknown;
  all(...values: object[]): object[];
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
  const own = process.getBuiltinModule?.("node:sqlite") as { DatabaseSync: SqliteClass } | undefined;
  const Database = own?.DatabaseSync ?? (await import("libsql").catch(() => undefined))?.default;
  if (Database !== undefined) return (path) => new (Database as SqliteClass)(path);
  throw new UsageError(
    `A local copy needs SQLite. Node.js has it from 22.13 on, and this is ${process.version}; for older versions, the optional package ` +
      "libsql has it, which is not installed, or not there for this system.",
  );
}

export const sqliteCodes = { busy: 5, readOnly: 8, full: 13, cannotOpen: 14 } as const;

/** The code of an error of SQLite; `undefined` for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  const { code, errcode, rawCode = errcode } = (error ?? {}) as { code?: string; errcode?: number; rawCode?: number };
  // libsql has codes such as UNKNOWN_SQLITE_ERROR_1544.
  return /SQLITE_/.test(String(code)) ? (rawCode ?? 1) & 0xff : undefined;
}
