import { loadSqlite } from "../../src/sync/sqlite.js";

type Rows = Record<string, string | bigint | null>[];

/** Runs statements on a database, and returns the rows of each, with integers that are exact. Each one gets the parameters that it names. */
export async function query(file: string, statements: readonly string[], parameters: object = {}): Promise<Rows[]> {
  const database = (await loadSqlite())(file);
  const rows = statements.map((sql) => {
    const statement = database.prepare(sql) as object as {
      setReadBigInts?(isWanted: boolean): void;
      safeIntegers?(): void;
      all(parameters: object): Rows;
    };
    // `node:sqlite`, and `libsql` on older versions of Node.js.
    (statement.setReadBigInts ?? statement.safeIntegers)?.call(statement, true);
    return statement.all(Object.fromEntries(Object.entries(parameters).filter(([name]) => sql.includes(`:${name}`))));
  });
  database.close();
  return rows;
}
