import type { SchemaElement } from "hyparquet-writer";
import { EndError, exitCodes } from "../exit.js";
import { type Column, formatTime, type WireRecord } from "../output/columns.js";

export interface ColumnTypes {
  /** Whether amounts are text, which holds any number of digits. */
  readonly isTextAmount: boolean;
  /** How many decimal places amounts have. Absent: they are integers. */
  readonly decimals: number | undefined;
}

/** The most digits of a `DECIMAL` that engines read. */
export const mostDigits = 38;

/** The types of the columns: amounts are exact decimals, times are nanoseconds in UTC, everything else is text. */
export const schemaOf = (columns: readonly Column[], types: ColumnTypes): SchemaElement[] => [
  { name: "root", num_children: columns.length },
  ...columns.map((column) => elementOf(column, types)),
];

function elementOf({ name, kind }: Column, { isTextAmount, decimals = 0 }: ColumnTypes): SchemaElement {
  const element = { name, repetition_type: "OPTIONAL" } as const;
  if (kind === "time") {
    const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "NANOS" } as const;
    return { ...element, type: "INT64", logical_type };
  }
  if (kind === "amount" && !isTextAmount) {
    const size = { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 } as const;
    return { ...element, ...size, converted_type: "DECIMAL", precision: mostDigits, scale: decimals };
  }
  return { ...element, type: "BYTE_ARRAY", converted_type: "UTF8" };
}

/**
 * The value of a text of the node.
 *
 * @throws {@link EndError} if an amount does not fit, with the record.
 */
export function toParquet(text: string, { name, kind }: Column, isTextAmount: boolean, record: WireRecord): unknown {
  if (kind === "time") return text === "" ? null : BigInt(text);
  if (kind !== "amount" || isTextAmount) return text;
  // v0.74 nodes can send an empty amount.
  if (text === "") return null;
  if (/^-?\d{1,38}$/.test(text)) return BigInt(text);
  const { timestamp, partyId, assetId } = record;
  throw new EndError(
    `Expected ${name} to be an integer of at most ${mostDigits} digits, got ${text} in the record of ` +
      `${formatTime(String(timestamp))}, party ${partyId}, asset ${assetId}. Use --text-amounts to export amounts as text.`,
    exitCodes.failed,
  );
}
