// Runs statements on a database, and prints the rows of each as JSON: `tsx query.ts FILE STATEMENT...`.
import { query } from "../../support/sqlite.js";

const [file = "", ...statements] = process.argv.slice(2);
console.log(
  JSON.stringify(await query(file, statements), (_, value) => (typeof value === "bigint" ? `${value}` : value)),
);
