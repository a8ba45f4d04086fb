import { ExitError } from "../../errors.js";
import { followLink } from "../../output/file.js";
import type { Row } from "../rows.js";
import { loadSqlite, lock, refuseMoved, type Sqlite, sqliteCode, sqliteCodes } from "../sqlite.js";
import { type Database, type DatabaseOptions, type Dialect, untilUsable } from "./database.js";
import { openRelational, type RelationalDestination } from "./relational.js";

/** Some digits of a balance as an integer: those before the last ones. */
const digits = (last: number, count: number) =>
  `CAST(substr(substr(balance, 1, max(0, length(balance) - ${last})), -${count}) AS INTEGER)`;

/** Balances have at most 78 digits: five integers of 18. */
const [parts, width] = [5, 18];
const padded = (amount: string) => `substr('${"0".repeat(parts * width)}' || ${amount}, -${parts * width})`;

/** The difference of two balances in digits. A subquery without a table evaluates its expressions once. */
function difference(amount: string, before: string): string {
  // Texts of the same length compare as numbers do.
  const [larger, smaller] = ["max(a, b)", "min(a, b)"];
  const borrows = (part: number) =>
    `(substr(${larger}, ${part * width + 1}) < substr(${smaller}, ${part * width + 1}))`;
  const numberOf = (digits: string, part: number) =>
    `CAST(substr(${digits}, ${part * width + 1}, ${width}) AS INTEGER)`;
  const differences = Array.from({ length: parts }, (_, part) => {
    const own = `${numberOf(larger, part)} - ${numberOf(smaller, part)} - ${borrows(part + 1)}`;
    return `${own} + ${borrows(part)} * 1${"0".repeat(width)}`;
  });
  const text = `printf('${`%0${width}d`.repeat(parts)}', ${differences.join(", ")})`;
  return `(SELECT CASE WHEN a = b THEN '0' WHEN b IS NOT NULL THEN iif(a < b, '-', '') || ltrim(${text}, '0') END
    FROM (SELECT ${padded(amount)} AS a, ${padded(before)} AS b))`;
}

const units = (amount: string, decimals: string) =>
  `(SELECT iif(x LIKE '-%', '-', '') || substr(d, 1, length(d) - n) || rtrim('.' || rtrim(substr(d, length(d) - n + 1), '0'), '.')
    FROM (SELECT x, n, substr('${"0".repeat(256)}', 1, max(0, n + 1 - length(ltrim(x, '-')))) || ltrim(x, '-') AS d
      FROM (SELECT ${amount} AS x, CAST(${decimals} AS INTEGER) AS n)))`;

const dialect: Dialect = {
  place: "file",
  // Balances can have 256 bits, which are 78 digits.
  types: { id: "INTEGER", time: "INTEGER", amount: "TEXT", decimal: "TEXT", json: "TEXT", text: "TEXT" },
  byKey: " WITHOUT ROWID",
  precision: 1n,
  time: (text) => `CAST(${text} AS INTEGER)`,
  digits: (time) => `CAST(${time} AS TEXT)`,
  rows: (json) => `json_each(${json}) AS r`,
  extra: [
    "strftime('%Y-%m-%dT%H:%M:%S', time / 1000000000, 'unixepoch') || printf('.%09dZ', time % 1000000000) AS utc, ",
    // The sums of integers of at most 18 digits are exact.
    `, printf('%03d', length(balance)) || balance AS sort_key, ${digits(60, 18)} AS highest, ${digits(42, 18)} AS higher,
      ${digits(24, 18)} AS high, ${digits(12, 12)} AS middle, ${digits(0, 12)} AS low`,
  ],
  difference,
  units,
  tableNames: "SELECT name FROM sqlite_schema WHERE type = 'table'",
};

const readOnlyAdvice =
  " It creates a file next to a database that it reads: copy it to a folder in which you may write.";
const advice: Readonly<Record<number, string>> = {
  [sqliteCodes.busy]: " Another program uses it: end its transaction, and repeat the command.",
  [sqliteCodes.full]: " Free some space, and repeat the command.",
  [sqliteCodes.readOnly]: readOnlyAdvice,
  [sqliteCodes.cannotOpen]: readOnlyAdvice,
};

const isBusy = (error: unknown) => sqliteCode(error) === sqliteCodes.busy;

const waitsForOthers = "PRAGMA busy_timeout = 5000";

interface SqliteOptions extends DatabaseOptions {
  /** Names it in errors. */
  readonly name: string;
  /** Throws if its name no longer leads to its file. */
  readonly checkFile?: () => void;
  readonly release?: () => Promise<void>;
}

function sqliteDatabase(database: Sqlite, options: SqliteOptions): Database {
  const { name, mode, checkFile, release } = options;
  function begin(): void {
    checkFile?.();
    database.exec("BEGIN IMMEDIATE");
  }

  /**
   * Moves the records of the log to the file, so that a copy of the file alone has them. A log that a killed process
   * leaves would be applied to a backup that is put in place of the file.
   */
  function moveLog(): void {
    try {
      // Programs that read keep the log.
      database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // On a full disk, for example, they stay in the log.
    } finally {
      database.exec(waitsForOthers);
    }
  }

  function* read(sql: string, values: readonly string[] = []): Generator<Row, undefined> {
    const statement = database.prepare(sql);
    let isRead = false;
    try {
      for (const row of statement.iterate(...named(values))) yield Object.values(row);
      isRead = true;
    } finally {
      // With libsql, a statement that is left early would stay open, and keep the log.
      if (!isRead) statement.get(...named(values));
    }
  }
  return {
    dialect,
    name,
    async run(sql, values = []) {
      if (values.length > 0) return Number(database.prepare(sql).run(...named(values)).changes);
      database.exec(sql);
      return 0;
    },
    query: async (sql, values) => [...read(sql, values)],
    read,
    /** A process that is killed has stored everything or nothing. */
    async write(run) {
      // Another program may write, or vacuum the database.
      await untilUsable(begin, isBusy, options);
      try {
        await run();
        // Readers delay it in other journal modes, which a restored backup can have.
        await untilUsable(() => database.exec("COMMIT"), isBusy, options);
        moveLog();
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
    describe(cause) {
      const code = sqliteCode(cause);
      if (code === undefined) return cause;
      const { message } = cause as Error;
      return new ExitError(`SQLite cannot use ${name}: ${message}.${advice[code] ?? ""}`, cause);
    },
    async close() {
      // libsql can close a database without either.
      if (mode === "write") moveLog();
      else rollBack(database);
      database.close();
      await release?.();
    },
  };
}

function rollBack(database: Sqlite): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There is no transaction: SQLite has ended it itself, as on a full disk.
  }
}

const named = (values: readonly string[]): object[] =>
  values.length > 0 ? [Object.fromEntries(values.map((value, index) => [`${index + 1}`, value]))] : [];

/** Opens a database, and locks its file for this process unless it is only read: a sync can write to it meanwhile. */
export async function openSqlite(name: string, options: DatabaseOptions): Promise<RelationalDestination> {
  const open = await loadSqlite();
  // One lock is for all names of a file.
  const path = followLink(name);
  const release = options.mode === "read" ? async () => {} : await lock(path);
  try {
    const database = openFile(open, path, name);
    const checkFile = refuseMoved(name, "file");
    return await sqliteDestination(database, { ...options, name, checkFile, release });
  } catch (error) {
    await release();
    throw error;
  }
}

function openFile(open: (path: string) => Sqlite, path: string, name: string): Sqlite {
  try {
    return open(path);
  } catch (cause) {
    throw new ExitError(`SQLite cannot open ${name}. Check that you may read it.`, cause);
  }
}

export async function sqliteDestination(sqlite: Sqlite, options: SqliteOptions): Promise<RelationalDestination> {
  const { mode } = options;
  const database = sqliteDatabase(sqlite, options);
  try {
    // The pages of the index by account, of which each step changes many, take 32 MB.
    sqlite.exec(`${waitsForOthers}; PRAGMA cache_size = -32000`);
    // All tables are read as of one moment.
    if (mode === "read") sqlite.exec("BEGIN");
    const destination = await openRelational(database, mode);
    // These change the file. A transaction that a power failure takes away is read again: the checkpoint goes with it.
    const setMode = () => sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    if (mode === "write") await untilUsable(setMode, isBusy, options);
    return destination;
  } catch (error) {
    rollBack(sqlite);
    sqlite.close();
    throw database.describe(error);
  }
}
