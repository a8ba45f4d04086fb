import { operations } from "../../generated/operations.js";
import { toNanoseconds } from "../values/times.js";

const { timeMember } = operations.listBalanceChanges.cursors;

/**
 * A cursor of v0.74 nodes that names a block: base64 of JSON with the block's time (observed on v0.74
 * nodes). Cursors of other forms are taken to be reliable.
 */
export interface BlockCursor {
  /** The block's time as the node spells it. All cursors of one block spell it alike. */
  time: string;
  fields: Record<string, unknown>;
}

export function readBlockCursor(cursor: string): BlockCursor | undefined {
  try {
    const fields: unknown = JSON.parse(atob(cursor));
    if (typeof fields !== "object" || fields === null || !(timeMember in fields)) return undefined;
    const { [timeMember]: time } = fields;
    return typeof time === "string" ? { time, fields: { ...fields } } : undefined;
  } catch {
    return undefined;
  }
}

/** The time of the block that a cursor names; `undefined` if it names none. */
export const blockTimeOf = (cursor: string): string | undefined => readBlockCursor(cursor)?.time;

/** The same time in Unix nanoseconds. */
export function nanosecondsOf(cursor: string): bigint | undefined {
  try {
    return toNanoseconds(blockTimeOf(cursor) ?? "");
  } catch {
    return undefined;
  }
}
