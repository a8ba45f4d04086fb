/** A destination in a relational database: SQLite and PostgreSQL have the same tables, and run the same statements. */
import type { BalanceChangesFilter } from "vegaprotocol-client";
import { ExitError, NoCopyError } from "../../errors.js";
import { earliest, formatTime, latest } from "../../times.js";
import {
  allTimes,
  canonicalJson,
  type Destination,
  keyOf,
  type OpenMode,
  type StoredList,
  type SyncList,
  syncLists,
  type TimeRange,
} from "../destination.js";
import { describe, type Row, recordOf, refuse, rowOf, type StoredKind, tables, wantedIn, wantedOf } from "../rows.js";
import type { Database, Dialect } from "./database.js";

export interface RelationalDestination extends Destination {
  copy(source: RelationalDestination): Promise<void>;
  /** All versions of votes, each with the end of its block. */
  voteVersions(): AsyncIterable<Row> | Iterable<Row>;
}

export const isRelational = (destination: Destination): destination is RelationalDestination => "copy" in destination;

/** Whether a run continues a list where it ended. A folder has votes in one file, which each run writes again. */
export const isContinued = (destination: Destination, list: SyncList): boolean =>
  list === "balances" || (list === "votes" && isRelational(destination));

const version = 2;

/**
 * An account has an id of its own, so that a change takes about 50 bytes instead of 300. Changes come in order of time:
 * a table in this order grows at its end, and just its index by account is written at many places.
 */
function createTables({ types, byKey, extra: [afterTime, atEnd], difference, units, setup = "" }: Dialect): string {
  const { id, time, amount, text } = types;
  const before =
    "(SELECT balance FROM account_changes AS earlier WHERE earlier.account = change.account AND earlier.time < change.time " +
    "ORDER BY earlier.time DESC LIMIT 1)";
  const delta = difference("change.balance", before);
  const columnsOf = (list: SyncList) =>
    Object.entries(tables[list].columns).map(([name, { kind }]) => `${name} ${types[kind]}`);
  return `
    ${setup}
    CREATE TABLE sync_version (version INTEGER NOT NULL);
    INSERT INTO sync_version VALUES (${version});
    CREATE TABLE sync_state (
      list TEXT NOT NULL, query TEXT NOT NULL, position TEXT NOT NULL, start TEXT NOT NULL, PRIMARY KEY (list, query)
    );
    CREATE TABLE accounts (
      id ${id} PRIMARY KEY,
      party ${text} NOT NULL, asset ${text} NOT NULL, market ${text} NOT NULL, account_type ${text} NOT NULL,
      UNIQUE (party, asset, market, account_type)
    );
    CREATE INDEX accounts_by_asset ON accounts (asset);
    CREATE TABLE account_changes (
      account INTEGER NOT NULL REFERENCES accounts, time ${time} NOT NULL, balance ${amount} NOT NULL,
      PRIMARY KEY (time, account)
    )${byKey};
    CREATE INDEX account_changes_by_account ON account_changes (account, time);
    CREATE VIEW balance_changes AS
      SELECT time, ${afterTime}party, asset, market, account_type, balance${atEnd}
      FROM account_changes JOIN accounts ON accounts.id = account;
    CREATE VIEW balances_now AS
      SELECT party, asset, market, account_type, time, balance FROM accounts JOIN account_changes ON account = accounts.id
      WHERE time = (SELECT max(time) FROM account_changes AS latest WHERE latest.account = accounts.id);
    CREATE TABLE votes_history (id ${id} PRIMARY KEY, before ${time} NOT NULL, ${columnsOf("votes")});
    CREATE INDEX votes_history_by_vote ON votes_history (proposal, party, id);
    CREATE INDEX votes_history_by_party ON votes_history (party);
    CREATE VIEW votes AS
      SELECT ${Object.keys(tables.votes.columns)} FROM votes_history AS version WHERE NOT EXISTS (
        SELECT 1 FROM votes_history AS later
        WHERE later.proposal = version.proposal AND later.party = version.party AND later.id > version.id
      );
    CREATE TABLE node_signatures (${columnsOf("signatures")}, PRIMARY KEY (resource, kind, signature));
    CREATE TABLE party_profiles (${columnsOf("profiles")}, PRIMARY KEY (party));
    CREATE TABLE assets (${columnsOf("assets")}, PRIMARY KEY (asset));
    CREATE VIEW balance_deltas AS
      SELECT time, ${afterTime}party, asset, symbol, market, account_type, balance, ${delta} AS delta,
        ${units("change.balance", "decimals")} AS balance_units, ${units(delta, "decimals")} AS delta_units
      FROM account_changes AS change JOIN accounts ON accounts.id = account LEFT JOIN assets USING (asset);`;
}

/** The statements that store the rows of `$1`, a JSON array of arrays. Votes end with the end of their block. */
function insertsOf({ types, time, rows }: Dialect) {
  const from = rows("$1");
  const columnOf = (kind: StoredKind, index: number) => {
    const text = `r.value->>${index}`;
    if (kind === "text") return text;
    // v0.74 nodes can send an empty amount.
    return kind === "time" ? time(text) : `CAST(nullif(${text}, '') AS ${types[kind]})`;
  };
  const valuesOf = (list: SyncList) =>
    Object.values(tables[list].columns).map(({ kind }, index) => columnOf(kind, index));
  const account = ["party", "asset", "market", "account_type"];
  const isAccount = account.map((name, index) => `accounts.${name} = r.value->>${index}`).join(" AND ");
  const votes = valuesOf("votes");
  const before = time(`r.value->>${votes.length}`);
  return {
    /** Rows are accounts. */
    newAccounts: `
      INSERT INTO accounts (${account}) SELECT ${account.map((_, index) => `r.value->>${index}`)}
      FROM ${from} LEFT JOIN accounts ON ${isAccount} WHERE accounts.id IS NULL`,
    accounts: `SELECT CAST(accounts.id AS TEXT), ${account} FROM ${from} CROSS JOIN accounts WHERE ${isAccount}`,
    /** Rows are the id of an account, a time and a balance. */
    balances: `
      INSERT INTO account_changes (account, time, balance)
      SELECT CAST(r.value->>0 AS INTEGER), ${columnOf("time", 1)}, ${columnOf("amount", 2)} FROM ${from} WHERE true
      ON CONFLICT (time, account) DO UPDATE SET balance = excluded.balance
      WHERE account_changes.balance <> excluded.balance`,
    // A follower that continues yields votes again that were rewritten without a difference. For another query, a node
    // that is behind can respond: it has earlier versions of votes that are stored.
    votes: `
      INSERT INTO votes_history (${Object.keys(tables.votes.columns)}, before)
      SELECT ${votes}, ${before} FROM ${from} WHERE NOT EXISTS (
        SELECT 1 FROM votes
        WHERE votes.proposal = r.value->>0 AND votes.party = r.value->>1 AND votes.record = ${votes.at(-1)}
      ) AND NOT EXISTS (
        SELECT 1 FROM votes_history AS later
        WHERE later.proposal = r.value->>0 AND later.party = r.value->>1 AND later.before > ${before}
      )`,
    signatures: `
      INSERT INTO node_signatures SELECT ${valuesOf("signatures")} FROM ${from} WHERE true ON CONFLICT DO NOTHING`,
    profiles: `
      INSERT INTO party_profiles SELECT ${valuesOf("profiles")} FROM ${from} WHERE true ON CONFLICT (party) DO UPDATE
      SET alias = excluded.alias, metadata = excluded.metadata, derived_keys = excluded.derived_keys`,
    assets: `
      INSERT INTO assets SELECT ${valuesOf("assets")} FROM ${from} WHERE true ON CONFLICT (asset) DO UPDATE
      SET symbol = excluded.symbol, name = excluded.name, decimals = excluded.decimals`,
  };
}

async function hasTables(database: Database): Promise<boolean> {
  const { name, dialect } = database;
  const names = (await database.query(dialect.tableNames)).flat();
  if (names.length === 0) return false;
  const [[found] = []] = names.includes("sync_version")
    ? await database.query("SELECT CAST(version AS TEXT) FROM sync_version")
    : [];
  if (found === undefined) {
    throw new ExitError(`${name} has tables that sync has not created. Use another ${dialect.place}.`);
  }
  if (Number(found) === version) return true;
  throw new ExitError(
    `${name} has tables of version ${found}, and this program writes version ${version}. Sync again to another ${dialect.place}.`,
  );
}

/** Opens a database. Its tables are created unless they are only read. */
export async function openRelational(database: Database, mode: OpenMode): Promise<RelationalDestination> {
  const { name, dialect } = database;
  if (mode === "write") {
    // An empty transaction shows that no other process writes. It can run twice if the connection was lost.
    await database.write(async () => {
      if (!(await hasTables(database))) await database.run(createTables(dialect));
    });
  } else if (!(await hasTables(database))) throw new NoCopyError(`${name} has no copy: run vegaprotocol sync first.`);
  return createDestination(database);
}

/** An hour, in nanoseconds: the first part of a range that is read with a filter. Later parts are longer. */
const firstLength = 3_600_000_000_000n;

function createDestination(database: Database): RelationalDestination {
  const { precision, digits, time, rows: rowsIn } = database.dialect;
  const inserts = insertsOf(database.dialect);

  /** The columns of a list as text: a time exceeds the integers of JavaScript. */
  const columnsOf = (list: SyncList): string[] =>
    Object.entries(tables[list].columns).map(([name, { kind }]) =>
      kind === "time" ? digits(name) : kind === "text" ? name : `CAST(${name} AS TEXT)`,
    );

  /** Conditions that columns have one of their values, which are added to the parameters of the query. */
  const conditionsFor = (wanted: readonly [column: string, values: string[]][], parameters: string[]): string[] =>
    wanted.map(([column, values]) => {
      const count = parameters.push(JSON.stringify(values.map((each) => [each])));
      return `${column} IN (SELECT r.value->>0 FROM ${rowsIn(`$${count}`)})`;
    });

  function select(filter: BalanceChangesFilter, { start, end }: TimeRange, order: string): [string, string[]] {
    const values = [start, end].map((each) => String(each + precision - 1n));
    const conditions = [`time >= ${time("$1")}`, `time < ${time("$2")}`, ...conditionsFor(wantedOf(filter), values)];
    const from = `SELECT ${columnsOf("balances")} FROM balance_changes`;
    return [`${from} WHERE ${conditions.join(" AND ")} ORDER BY ${order}`, values];
  }

  /** The end of each range, as last read or written. */
  const ends = new Map<string, string>();

  /** Refuses to continue a database that has lost committed batches, as after a failover: records would be missing. */
  async function checkEnd({ list, query, checkpoint: { position } }: StoredList): Promise<void> {
    const expected = ends.get(keyOf({ list, query }));
    // A standby, which can be behind before it has become the primary server, refuses an update.
    const sql = "UPDATE sync_state SET position = position WHERE list = $1 AND query = $2 RETURNING position";
    const [[found] = []] = await database.query(sql, [list, canonicalJson(query)]);
    // A batch can have been committed when the connection was lost.
    if (found === expected || found === `${position}`) return;
    const textOf = (end: string | null | undefined) =>
      end ? `${list} up to ${formatTime(BigInt(end))}` : `no ${list}`;
    throw new ExitError(
      `Expected ${textOf(expected)} in ${database.name}, as after the last batch, got ${textOf(found)}. The database is in an ` +
        "earlier state, or another program writes to it as well. Run sync again to continue from there.",
    );
  }

  const storeCheckpoint = ({ list, query, checkpoint: { position, start } }: StoredList) =>
    database.run(
      "INSERT INTO sync_state (list, query, position, start) VALUES ($1, $2, $3, $4) " +
        "ON CONFLICT (list, query) DO UPDATE SET position = excluded.position, start = excluded.start",
      [list, canonicalJson(query), `${position}`, `${start}`],
    );

  /** The rows of balance changes with the id of an account, a time and a balance. New accounts are stored. */
  async function withAccounts(rows: readonly Row[]): Promise<Row[]> {
    const keys = rows.map((row) => JSON.stringify(row.slice(1, 5)));
    const accounts = new Set(keys);
    const json = `[${[...accounts]}]`;
    const read = async () => {
      const found = await database.query(inserts.accounts, [json]);
      return new Map(found.map(([id, ...account]) => [JSON.stringify(account), id]));
    };
    let ids = await read();
    if (ids.size < accounts.size) {
      await database.run(inserts.newAccounts, [json]);
      ids = await read();
    }
    return rows.map(([time = null, , , , , balance = null], index) => {
      return [ids.get(keys[index] ?? "") ?? null, time, balance];
    });
  }

  /** Returns how many rows are new or changed. */
  async function insert(list: SyncList, rows: readonly Row[]): Promise<number> {
    const { timeIndex } = tables[list];
    const fine = precision > 1n && timeIndex >= 0 ? rows.find((row) => !row[timeIndex]?.endsWith("000")) : undefined;
    if (fine) refuse(describe(recordOf(list, fine)), "a time in microseconds", fine[timeIndex]);
    // A vote that was cast twice meanwhile has its last version.
    const last = list === "votes" ? [...new Map(rows.map((row) => [`${row[0]} ${row[1]}`, row])).values()] : rows;
    if (last.length === 0) return 0;
    const stored = list === "balances" ? await withAccounts(last) : last;
    return database.run(inserts[list], [JSON.stringify(stored)]);
  }

  return {
    async checkpoints() {
      const rows = await database.query("SELECT list, query, start, position FROM sync_state");
      const stored = rows.map(([list, query, start, position]) => ({
        list: list as SyncList,
        query: JSON.parse(query ?? "{}"),
        checkpoint: { start: BigInt(start ?? 0), position: BigInt(position ?? 0) },
      }));
      for (const each of stored) ends.set(keyOf(each), `${each.checkpoint.position}`);
      return stored;
    },
    async store({ list, query, records, checkpoint }) {
      const rows = records.map((record) => rowOf(list, record));
      const before = String(checkpoint?.position);
      const range = checkpoint && { list, query, checkpoint };
      let stored = 0;
      await database.write(async () => {
        if (range) {
          await checkEnd(range);
          await storeCheckpoint(range);
        }
        const added = await insert(list, list === "votes" ? rows.map((row) => [...row, before]) : rows);
        // It is repeated if the connection is lost, also after it was committed.
        stored = Math.max(stored, added);
      });
      if (range) ends.set(keyOf(range), before);
      return stored;
    },
    async copy(source) {
      await database.write(async () => {
        for (const list of syncLists) {
          const rows: Row[] = [];
          for await (const row of list === "votes" ? source.voteVersions() : source.rows(list)) {
            // A later version of a vote is compared with the one before.
            const isLater = list === "votes" && rows.at(-1)?.at(-1) !== row.at(-1);
            if (rows.length === 2000 || isLater) await insert(list, rows.splice(0));
            rows.push(row);
          }
          await insert(list, rows);
        }
        for (const each of await source.checkpoints()) await storeCheckpoint(each);
      });
    },
    voteVersions: () =>
      database.read(`SELECT ${columnsOf("votes")}, ${digits("before")} FROM votes_history ORDER BY id`),
    finish: async () => undefined,
    async newest(filter, end = allTimes.end) {
      const [row] = await database.query(...select(filter, { ...allTimes, end }, "time DESC LIMIT 1"));
      return row && recordOf("balances", row);
    },
    async *read(filter, range, isNewestFirst = false) {
      const order = ["time", "asset", "party", "market", "account_type"];
      const sorting = order.map((name) => (isNewestFirst ? `${name} DESC` : name)).join();
      // Changes are stored in this order. A query with a filter sorts its whole range before it returns the first row.
      let length = wantedOf(filter).length > 0 ? firstLength : range.end - range.start;
      for (let { start, end } = range; start < end; length *= 4n) {
        const window = isNewestFirst
          ? { start: latest(start, end - length), end }
          : { start, end: earliest(end, start + length) };
        for await (const row of database.read(...select(filter, window, sorting))) yield recordOf("balances", row);
        if (isNewestFirst) end = window.start;
        else start = window.end;
      }
    },
    async *rows(list, query = {}) {
      const { name, timeIndex } = tables[list];
      const values: string[] = [];
      const conditions = ["true", ...conditionsFor(wantedIn(list, query), values)].join(" AND ");
      const order = timeIndex < 0 ? "" : " ORDER BY time";
      yield* database.read(`SELECT ${columnsOf(list)} FROM ${name} WHERE ${conditions}${order}`, values);
    },
    describe: database.describe,
    close: database.close,
  };
}
