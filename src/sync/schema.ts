import { VegaError } from "../errors/index.js";
import { inTransaction, type SqlDatabase, type SqlRow } from "./database.js";

/** The form of the tables. A later version of the package that changes them increases it. */
const version = 3;

/** The columns of an account and of a time, for views. */
const account = "accounts.party, accounts.asset, accounts.market, accounts.account_type";
const readable = "strftime('%Y-%m-%dT%H:%M:%S', time / 1000000000, 'unixepoch') || printf('.%09dZ', time % 1000000000)";

/** Some digits of a balance as an integer: those before the last ones. */
const digits = (last: number, count: number) =>
  `CAST(substr(substr(balance, 1, max(0, length(balance) - ${last})), -${count}) AS INTEGER)`;

/**
 * An account has an id of its own, so that a change takes about 50 bytes instead of 300. Balances are text, because they can have 256
 * bits, which are 78 digits. A view divides them into integers of at most 18 digits, whose sums are exact.
 */
const tables = `
  CREATE TABLE sync_state (
    list TEXT NOT NULL,
    query TEXT NOT NULL,
    position TEXT NOT NULL,
    PRIMARY KEY (list, query)
  ) WITHOUT ROWID;
  CREATE TABLE sync_chain (
    height TEXT NOT NULL,
    time TEXT NOT NULL
  );

  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    party TEXT NOT NULL,
    asset TEXT NOT NULL,
    market TEXT NOT NULL,
    account_type TEXT NOT NULL,
    UNIQUE (party, asset, market, account_type)
  );
  CREATE INDEX accounts_by_asset ON accounts (asset);
  CREATE TABLE account_changes (
    account INTEGER NOT NULL REFERENCES accounts,
    time INTEGER NOT NULL,
    balance TEXT NOT NULL,
    PRIMARY KEY (account, time)
  ) WITHOUT ROWID;
  CREATE INDEX account_changes_by_time ON account_changes (time);

  CREATE VIEW balance_changes AS
    SELECT time, ${readable} AS utc, ${account}, balance,
      printf('%03d', length(balance)) || balance AS sort_key,
      ${digits(60, 18)} AS highest,
      ${digits(42, 18)} AS higher,
      ${digits(24, 18)} AS high,
      ${digits(12, 12)} AS middle,
      ${digits(0, 12)} AS low
    FROM account_changes JOIN accounts ON accounts.id = account;
  CREATE VIEW balances_now AS
    SELECT ${account}, time, balance
    FROM accounts JOIN account_changes ON account = accounts.id
    WHERE time = (SELECT max(time) FROM account_changes AS latest WHERE latest.account = accounts.id);

  CREATE TABLE votes (
    proposal TEXT NOT NULL,
    party TEXT NOT NULL,
    time INTEGER NOT NULL,
    value TEXT NOT NULL,
    balance TEXT NOT NULL,
    weight TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (proposal, party)
  ) WITHOUT ROWID;
  CREATE INDEX votes_by_party ON votes (party);
  CREATE TABLE votes_history (
    id INTEGER PRIMARY KEY,
    proposal TEXT NOT NULL,
    party TEXT NOT NULL,
    before INTEGER NOT NULL,
    time INTEGER NOT NULL,
    value TEXT NOT NULL,
    balance TEXT NOT NULL,
    weight TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX votes_history_by_vote ON votes_history (proposal, party);

  CREATE TABLE node_signatures (
    resource TEXT NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (resource, kind, signature)
  ) WITHOUT ROWID;

  CREATE TABLE party_profiles (
    party TEXT PRIMARY KEY NOT NULL,
    alias TEXT NOT NULL,
    metadata TEXT NOT NULL,
    derived_keys TEXT
  ) WITHOUT ROWID;

  PRAGMA user_version = ${version};
`;

/**
 * Prepares a database: an empty one gets its tables.
 *
 * @throws {@link VegaError} if it has other tables.
 */
export function prepareDatabase(database: SqlDatabase): void {
  database.exec("PRAGMA busy_timeout = 5000");
  const found = (database.prepare("PRAGMA user_version").get() as SqlRow)["user_version"];
  const { count, isOurs } = database
    .prepare("SELECT count(*) AS count, sum(name = 'sync_state') AS isOurs FROM sqlite_schema")
    .get() as Readonly<Record<string, number | null>>;
  const isEmpty = found === 0 && count === 0;
  if (!isEmpty && !(found === version && isOurs)) {
    throw new VegaError(
      `Expected a database that sync has created (version ${version}), or an empty one, got one of version ${found} with ${count} ` +
        "tables and indexes. Use another file.",
      { operation: "syncTo" },
    );
  }
  // What follows changes the file.
  database.exec("PRAGMA journal_mode = WAL");
  // A transaction that a power failure takes away is read again: the position goes with it.
  database.exec("PRAGMA synchronous = NORMAL");
  if (isEmpty) inTransaction(database, () => database.exec(tables));
}
