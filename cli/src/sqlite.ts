import { UsageError } from "./errors.js";

/** A value that SQLite stores or returns. */
export type SqliteValue = null | number | bigint | string;

export interface SqliteStatement {
  all(...values: SqliteValue[]): unknown[];
  get(...values: SqliteValue[]): unknown;
  run(...values: SqliteValue[]): { lastInsertRowid: number | bigint };
  iterate(...values: SqliteValue[]): Iterable<unknown>;
}

/** What is used of a database of `node:sqlite`, of which the types of Node.js 20 know nothing. */
export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/**
 * Returns the function that opens a database.
 *
 * @param what - What needs it, for the error of versions of Node.js that do not have SQLite.
 */
export function loadSqlite(what: string): (path: string) => Sqlite {
  const sqlite = process.getBuiltinModule?.("node:sqlite") as
    | { DatabaseSync: new (path: string) => Sqlite }
    | undefined;
  if (sqlite === undefined) {
    throw new UsageError(`${what} needs SQLite, which Node.js has from 22.13 on, and this is ${process.version}.`);
  }
  return (path) => new sqlite.DatabaseSync(path);
}
