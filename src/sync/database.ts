/** A value that SQLite stores or returns. */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/** A prepared statement, as `node:sqlite` has it. */
export interface SqlStatement {
  run(...values: SqlValue[]): { lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): Iterable<unknown>;
}

/** A database, as `DatabaseSync` of `node:sqlite` is one. Node.js has it from 22.13 on. */
export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
}

/** Runs a function in one transaction: a process that is killed has stored everything or nothing. */
export function inTransaction<T>(database: SqlDatabase, run: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = run();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has done so itself, as on a full disk.
    }
    throw error;
  }
}
