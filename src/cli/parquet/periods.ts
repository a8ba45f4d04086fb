import { toNanoseconds } from "../../values/times.js";

/** How a folder is divided. */
export const partitions = ["day", "month"] as const;
export type Partition = (typeof partitions)[number];

/** A range of time in Unix nanoseconds. The end does not belong to it. */
export interface Period {
  /** As in `date=2024-02-09`, which engines read as the column `date`. */
  readonly name: string;
  readonly start: bigint;
  readonly end: bigint;
}

/** The day or the month of a time, in UTC. */
export function periodOf(time: bigint, partition: Partition): Period {
  const date = new Date(Number(time / 1_000_000n));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const isDay = partition === "day";
  const [first, next] = isDay
    ? [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)]
    : [Date.UTC(year, month), Date.UTC(year, month + 1)];
  const text = new Date(first).toISOString();
  const name = isDay ? `date=${text.slice(0, 10)}` : `month=${text.slice(0, 7)}`;
  return { name, start: toNanoseconds(new Date(first)), end: toNanoseconds(new Date(next)) };
}
