import { open } from "node:fs/promises";
import type { ListPlan } from "../list-plan.js";
import { headOf, recordsOf } from "./file-records.js";
import { RecordDigest } from "./record-digest.js";

/** What an interrupted export keeps of its file. */
export interface KeptRecords {
  readonly digest: RecordDigest;
  /** The position after the last record that is kept, in bytes. */
  readonly position: number;
  /** The time of the last complete record, at which the scan continues; `undefined` if there is none. */
  readonly time: bigint | undefined;
  /** The time of the first record. */
  readonly firstTime: bigint | undefined;
}

/**
 * Finds the position after the last complete record whose time differs from that of the last complete record: of the
 * records of the last time, some may not have been written. A line that is not a record ends what was written, as a crash of
 * the machine can leave it.
 */
export async function findKeptRecords(file: string, plan: ListPlan): Promise<KeptRecords> {
  const { format, columns, isNewestFirst } = plan;
  const timeColumn = columns.findIndex(({ name }) => name === "timestamp");
  const digest = new RecordDigest();
  const head = headOf(format, columns);
  let end = Buffer.byteLength(head);
  let position = (await readStart(file, end)) === head ? end : 0;
  let [firstTime, time]: (bigint | undefined)[] = [];
  /** The records of the last time. */
  let group: (readonly string[])[] = [];
  for await (const record of recordsOf(file, format, columns)) {
    const text = record.texts?.[timeColumn] ?? "";
    if (record.texts === undefined || !/^-?\d+$/.test(text)) break;
    const next = BigInt(text);
    if (time !== undefined && next !== time) {
      if (next < time !== isNewestFirst) break;
      for (const texts of group) digest.add(texts);
      group = [];
      position = end;
    }
    firstTime ??= next;
    time = next;
    group.push(record.texts);
    end = record.end;
  }
  return { digest, position, time, firstTime };
}

async function readStart(file: string, length: number): Promise<string> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
