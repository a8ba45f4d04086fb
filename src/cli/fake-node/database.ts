import { existsSync } from "node:fs";
import { loadSqlite } from "../commands/sync.js";
import { UsageError } from "../exit.js";
import type { ListedRow } from "./listed-row.js";

type Texts = Readonly<Record<string, string>>;

/** The lists of a database that `sync` has made. Times exceed the integers of JavaScript: they are read as text. */
const lists: readonly { name: string; sql: string; read: (row: Texts) => ListedRow["record"] }[] = [
  {
    name: "balances",
    sql: "SELECT CAST(time AS TEXT) AS time, party, asset, market, account_type, balance FROM balance_changes ORDER BY time",
    read: ({ time, party, asset, market, account_type, balance }) => ({
      timestamp: time,
      partyId: party,
      assetId: asset,
      marketId: market,
      accountType: account_type,
      balance,
    }),
  },
  { name: "votes", sql: "SELECT record FROM votes ORDER BY time", read: ({ record = "" }) => JSON.parse(record) },
  {
    name: "signatures",
    sql: "SELECT resource, kind, signature FROM node_signatures",
    read: ({ resource, kind, signature }) => ({ id: resource, sig: signature, kind }),
  },
  {
    name: "profiles",
    sql: "SELECT party, alias, metadata FROM party_profiles",
    read: ({ party, alias, metadata = "[]" }) => ({ partyId: party, alias, metadata: JSON.parse(metadata) }),
  },
];

/** The records of a database that `sync` has made. */
export function readDatabase(file: string): ListedRow[] {
  // SQLite would create it.
  if (!existsSync(file)) throw new UsageError(`Expected --from to be a database of sync, but there is no ${file}.`);
  const database = loadSqlite("--from")(file);
  try {
    return lists.flatMap(({ name, sql, read }) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ name, record: read(row as Texts) })),
    );
  } finally {
    database.close();
  }
}
