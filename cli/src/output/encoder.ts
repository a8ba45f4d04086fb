import { styleText } from "node:util";
import type { FormatName } from "../flags.js";
import { hasColors, type Io, printable, printableJson, widthOf } from "../io.js";
import type { Column, Encoder } from "./cells.js";
import { csv } from "./csv.js";
import { json, ndjson } from "./json.js";
import type { TableOptions } from "./table.js";

export interface EncoderOptions extends Pick<TableOptions, "onHidden"> {
  /** Whether the text is for stdout, which can be a terminal. A file has the data as it is. */
  readonly isStdout: boolean;
  /** Whether the user chose the columns: they are shown with whole values then, however wide they are. */
  readonly hasChosenColumns?: boolean;
}

/** The format of `--format`, or the default for a terminal or a pipe. */
export const formatOf = (entered: FormatName | undefined, io: Io): FormatName =>
  entered ?? (io.stdout.isTTY === true ? "table" : "ndjson");

export async function createEncoder(
  format: FormatName,
  columns: readonly Column[],
  io: Io,
  { isStdout, hasChosenColumns = false, onHidden }: EncoderOptions,
): Promise<Encoder> {
  const isScreen = isStdout && io.stdout.isTTY === true;
  if (format === "csv") return csv(columns, isScreen ? printable : undefined);
  if (format === "json") return json(columns, isScreen ? printableJson : undefined);
  if (format === "ndjson") return ndjson(columns, isScreen ? printableJson : undefined);
  const { table } = await import("./table.js");
  const isBold = isStdout && hasColors(io, io.stdout);
  return table(columns, {
    bold: (text) => (isBold ? styleText("bold", text, { validateStream: false }) : text),
    isShort: isScreen && !hasChosenColumns,
    width: isStdout && !hasChosenColumns ? outputWidth(io) : undefined,
    ...(onHidden && { onHidden }),
  });
}

/** The width of the terminal; in a pipe, `COLUMNS` sets it. */
function outputWidth(io: Io): number | undefined {
  if (io.stdout.isTTY === true) return widthOf(io.stdout);
  return Number(io.env["COLUMNS"]) || undefined;
}
