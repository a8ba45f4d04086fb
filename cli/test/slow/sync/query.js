// Runs statements on a database, and prints their rows as JSON, with integers as text. Each one gets the parameters that it names.
import { DatabaseSync } from "node:sqlite";

const [, , file = "", parameters = "{}", queries = "[]"] = process.argv;
const database = new DatabaseSync(file);
const values = Object.entries(JSON.parse(parameters));
/** @param {string} sql */
function run(sql) {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all(Object.fromEntries(values.filter(([name]) => sql.includes(`:${name}`))));
}
/** @type {string[]} */
const all = JSON.parse(queries);
console.log(JSON.stringify(all.map(run), (_, value) => (typeof value === "bigint" ? String(value) : value)));
