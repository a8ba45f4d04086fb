// Follows balance changes into a database: each batch and its position in one transaction. With a time as its third argument, it
// ends there and prints what the database holds.
import { DatabaseSync } from "node:sqlite";
import { createClient } from "vegaprotocol-client";
import { followBalanceChanges } from "vegaprotocol-client/follow";

const [, , baseUrl = "", file = "", until] = process.argv;
const database = new DatabaseSync(file);
database.exec("PRAGMA journal_mode = WAL");
database.exec("CREATE TABLE IF NOT EXISTS changes (record TEXT)");
database.exec("CREATE TABLE IF NOT EXISTS position (id INTEGER PRIMARY KEY, resume TEXT)");
const insert = database.prepare("INSERT INTO changes VALUES (?)");
const save = database.prepare("INSERT OR REPLACE INTO position VALUES (1, ?)");
const saved = database.prepare("SELECT resume FROM position").get();

const client = createClient({ baseUrl });
const follower = followBalanceChanges(client, {}, { from: String(saved?.["resume"] ?? "start"), pollInterval: 5 });
for await (const { records, upTo, resume } of follower.batches()) {
  database.exec("BEGIN");
  for (const record of records) insert.run(JSON.stringify(record));
  save.run(resume);
  database.exec("COMMIT");
  if (until !== undefined && upTo >= BigInt(until)) break;
}
const rows = database.prepare("SELECT record FROM changes ORDER BY rowid").all();
console.log(JSON.stringify(rows.map(({ record }) => JSON.parse(String(record)))));
