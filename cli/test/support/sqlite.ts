interface Statement {
  setReadBigInts(isWanted: boolean): void;
  all(parameters: object): Record<string, string | bigint | null>[];
}

interface Database {
  prepare(sql: string): Statement;
  close(): void;
}

// Node.js has it from 22.13 on.
const sqlite = process.getBuiltinModule?.("node:sqlite") as
  | { DatabaseSync: new (file: string) => Database }
  | undefined;
export const hasSqlite = sqlite !== undefined;

/** Runs statements on a database, and returns the rows of each. Each one gets the parameters that it names. */
export function query(file: string, statements: readonly string[], parameters: object = {}) {
  if (sqlite === undefined) throw new Error(`SQLite needs a later version of Node.js than ${process.version}.`);
  const database = new sqlite.DatabaseSync(file);
  const rows = statements.map((sql) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all(Object.fromEntries(Object.entries(parameters).filter(([name]) => sql.includes(`:${name}`))));
  });
  database.close();
  return rows;
}
