/** The interface of a database, which SQLite and PostgreSQL implement, and the SQL in which they differ. */
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenMode } from "../destination.js";
import type { Row, StoredKind } from "../rows.js";

/** How long to wait for a database that is locked, or a server that restarts, in milliseconds. */
const patience = 300_000;

export interface DatabaseOptions {
  readonly mode: OpenMode;
  readonly signal: AbortSignal;
  /** Called when it begins to wait, and for an empty file. */
  readonly onNotice?: ((message: string) => void) | undefined;
}

export interface Dialect {
  /** The name for a database with other tables, such as `file`. */
  readonly place: string;
  /** Text is sorted as JavaScript does. */
  readonly types: Readonly<Record<StoredKind | "id", string>>;
  /** The end of the definition of a table that is sorted by its key. */
  readonly byKey: string;
  /** The nanoseconds of the smallest unit of a stored time. */
  readonly precision: bigint;
  /** The stored time of digits, and the digits of a stored time. */
  readonly time: (digits: string) => string;
  readonly digits: (time: string) => string;
  /** The elements of a JSON array of arrays, in the column `value` of `r`. */
  readonly rows: (json: string) => string;
  /** Further columns of the view `balance_changes`. */
  readonly extra: readonly [afterTime: string, atEnd: string];
  readonly difference: (amount: string, before: string) => string;
  /** An amount with decimal places, without zeros at its end. */
  readonly units: (amount: string, decimals: string) => string;
  readonly tableNames: string;
  readonly setup?: string;
}

export interface Database {
  /** Names it in errors, without a password. */
  readonly name: string;
  readonly dialect: Dialect;
  /**
   * Runs a statement with values for `$1`, `$2` and so on, or several without values. Returns how many rows it has
   * changed.
   */
  run(sql: string, values?: readonly string[]): Promise<number>;
  query(sql: string, values?: readonly string[]): Promise<Row[]>;
  read(sql: string, values?: readonly string[]): AsyncIterable<Row> | Iterable<Row>;
  /** Writes in one transaction, as the only process that does. */
  write(run: () => Promise<void>): Promise<void>;
  describe(error: unknown): unknown;
  close(): Promise<void>;
}

/** Repeats what fails because a database is locked or restarts. */
export async function untilUsable<T>(
  run: () => T | Promise<T>,
  isTemporary: (error: unknown) => boolean | Promise<boolean>,
  { name, signal, onNotice }: Pick<Database, "name"> & Omit<DatabaseOptions, "mode">,
): Promise<T> {
  let deadline: number | undefined;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      signal.throwIfAborted();
      const isFirst = deadline === undefined;
      // The connection can have been lost after a long statement, or while the machine was suspended.
      deadline ??= performance.now() + patience;
      if (!(await isTemporary(error)) || performance.now() > deadline) throw error;
      if (isFirst) onNotice?.(`${name}: ${(error as Error).message}. Trying again for five minutes.`);
      await sleep(1000, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
