import { join } from "node:path";
import type { SyncList } from "../../src/sync/destination.js";
import { createParquet, openParquet, readParquet } from "../../src/sync/destinations/parquet-file.js";
import { type Row, tables } from "../../src/sync/rows.js";
import { hour } from "./changes.js";

const values = { time: "0", amount: "1", decimal: "0.5", json: '{"a":"b"}', text: "changed" };

/** Changes a column of a row in a Parquet file. Times become an hour later by default. */
export async function changeParquet(
  folder: string,
  list: SyncList,
  column: string,
  row: Row,
  { date, step = hour }: { date?: string | undefined; step?: bigint } = {},
) {
  const { name, columns } = tables[list];
  const path = join(folder, name, ...(date ? [`date=${date}`] : []), "part.parquet");
  const { kind = "text" } = columns[column] ?? {};
  const index = Object.keys(columns).indexOf(column);
  const written = await openParquet(path);
  const file = createParquet(path, columns);
  for await (const each of readParquet(written, columns)) {
    const later = kind === "time" ? String(BigInt(each[index] ?? 0) + step) : values[kind];
    const isRow = each.slice(0, 3).join() === row.slice(0, 3).join();
    file.add(each.map((value, at) => (isRow && at === index ? later : value)));
  }
  await file.finish(written.notes);
}

/** The statement that does the same in a database. It changes the newest balance change, or its account. */
export function changeSql(list: SyncList, column: string, row: Row, isPostgres: boolean): string {
  const { name, columns } = tables[list];
  const { kind = "text" } = columns[column] ?? {};
  const later = isPostgres ? "time + INTERVAL '1 hour'" : `time + ${hour}`;
  const set = `SET ${column} = ${kind === "time" ? later : `'${values[kind]}'`}`;
  if (list === "balances") {
    return ["time", "balance"].includes(column)
      ? `UPDATE account_changes ${set} WHERE time = (SELECT max(time) FROM account_changes)`
      : `UPDATE accounts ${set} WHERE party = '${row[1]}'`;
  }
  const isRow = Object.keys(columns)
    .slice(0, tables[list].keySize)
    .map((key, index) => `${key} = '${row[index]}'`);
  return `UPDATE ${list === "votes" ? "votes_history" : name} ${set} WHERE ${isRow.join(" AND ")}`;
}
