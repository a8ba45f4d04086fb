/** Compares readings of one list, record by record. */
import type { BalanceChange } from "vegaprotocol-client";
import { earliest, formatTime } from "../times.js";
import type { SyncList } from "./destination.js";
import { type Row, rowOf, tables } from "./rows.js";

export type Rows = Map<string, Row>;

export const byKey = (list: SyncList, rows: readonly Row[]): Rows =>
  new Map(rows.map((row) => [JSON.stringify(row.slice(0, tables[list].keySize)), row]));

export const keysOf = (readings: Iterable<Rows>): string[] =>
  [...new Set([...readings].flatMap((rows) => [...rows.keys()]))].sort();

export const nameRow = (list: SyncList, row: Row): string =>
  Object.keys(tables[list].columns)
    .slice(0, tables[list].keySize)
    .flatMap((name, index) => {
      const text = row[index];
      return text ? [`${name} ${name === "time" ? formatTime(text) : text}`] : [];
    })
    .join(", ");

/** Merges readings of balance changes in order of time: yields the rows of each reading at each time. */
export async function* byTime(
  readings: readonly AsyncIterable<BalanceChange>[],
): AsyncGenerator<{ time: bigint; rows: Rows[] }, undefined> {
  const all = readings.map((records) => records[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(all.map(async (records) => (await records.next()).value));
    for (;;) {
      const time = earliest(...heads.map((head) => head && BigInt(head.timestamp)));
      if (time === undefined) return;
      const readBlock = async (records: AsyncIterator<BalanceChange>, index: number) => {
        const rows: Row[] = [];
        for (let head = heads[index]; head && BigInt(head.timestamp) === time; head = heads[index]) {
          rows.push(rowOf("balances", head));
          heads[index] = (await records.next()).value;
        }
        return byKey("balances", rows);
      };
      yield { time, rows: await Promise.all(all.map(readBlock)) };
    }
  } finally {
    await Promise.allSettled(all.map((records) => records.return?.()));
  }
}
