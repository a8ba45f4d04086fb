// Runs statements on a database.
import { DatabaseSync } from "node:sqlite";

const [, , file = "", ...statements] = process.argv;
const database = new DatabaseSync(file);
for (const statement of statements) database.exec(statement);
