// Prints what a database holds, as JSON. What a killed process has left of a step is undone, as by the next run.
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2] ?? "");
/** @param {string} sql */
const all = (sql) => database.prepare(sql).all();
const tables = all("SELECT name FROM sqlite_schema WHERE name = 'sync_state'");
const found =
  tables.length === 0
    ? { positions: [], balances: [], votes: [], versions: [], signatures: [], profiles: [] }
    : {
        positions: all("SELECT list, position FROM sync_state"),
        balances: all(
          "SELECT CAST(time AS TEXT) AS timestamp, asset AS assetId, party AS partyId, market AS marketId, " +
            "account_type AS accountType, balance FROM balance_changes ORDER BY time, asset, party, market, account_type",
        ),
        votes: all("SELECT record FROM votes ORDER BY proposal, party"),
        versions: all("SELECT record FROM votes_history ORDER BY id"),
        signatures: all("SELECT resource AS id, kind, signature AS sig FROM node_signatures"),
        profiles: all("SELECT party, alias FROM party_profiles"),
      };
console.log(JSON.stringify({ ...found, integrity: all("PRAGMA integrity_check") }));
