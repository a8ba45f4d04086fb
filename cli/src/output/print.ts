/** Prints records and objects to stdout. */
import { styleText } from "node:util";
import { exitCodes } from "../errors.js";
import type { FormatFlags, FormatName, PresentationFlags } from "../flags.js";
import { hasColors, type Io, printable, printableJson, printMessage, widthOf, write } from "../io.js";
import type { ColumnKind } from "../operations.js";
import { type Column, type Encoder, readColumns, type WireRecord } from "./columns.js";
import { csv } from "./csv.js";
import { json, ndjson } from "./json.js";
import { table } from "./table.js";

/** The format of `--format`, or the default for a terminal or a pipe. */
export const formatOf = (entered: FormatName | undefined, io: Io): FormatName =>
  entered ?? (io.stdout.isTTY === true ? "table" : "ndjson");

/**
 * Creates the encoder of records.
 *
 * @param format - The format of a file, which has the data as it is. Default: the text is for stdout, which can be a terminal.
 */
export function createEncoder(
  io: Io,
  flags: PresentationFlags,
  columns: readonly Column[],
  format?: FormatName,
): Encoder {
  const isStdout = format === undefined;
  const isScreen = isStdout && io.stdout.isTTY === true;
  switch (format ?? formatOf(flags.format, io)) {
    case "csv":
      return csv(columns, isScreen ? printable : undefined);
    case "json":
      return json(columns, isScreen ? printableJson : undefined);
    case "ndjson":
      return ndjson(columns, isScreen ? printableJson : undefined);
  }
  const isBold = isStdout && hasColors(io, io.stdout);
  // Columns that the user chose are shown with whole values, however wide they are.
  const isFitted = isStdout && flags.columns === undefined;
  // In a pipe, COLUMNS sets the width.
  const width = isScreen ? widthOf(io.stdout) : Number(io.env["COLUMNS"]) || undefined;
  return table(columns, {
    bold: (text) => (isBold ? styleText("bold", text, { validateStream: false }) : text),
    isShort: isScreen && isFitted,
    width: isFitted ? width : undefined,
    onHidden: (names) => {
      if (flags.quiet) return;
      printMessage(io, `The terminal is too narrow for ${names.join(", ")}: choose with --columns.`);
    },
  });
}

/** Prints records at once. */
async function printAll({ stdout }: Io, encoder: Encoder, records: readonly WireRecord[]): Promise<number> {
  await write(stdout, encoder.head + encoder.encode(records) + encoder.end());
  return exitCodes.done;
}

export async function printRecords(
  io: Io,
  flags: PresentationFlags,
  kinds: Readonly<Record<string, ColumnKind>>,
  read: () => Promise<readonly object[]>,
): Promise<number> {
  const encoder = createEncoder(io, flags, await readColumns(kinds, flags));
  return printAll(io, encoder, (await read()) as readonly WireRecord[]);
}

/** Prints one object: as JSON, or with a row for each value in it. What is unknown is left out. */
export async function printObject(value: object, io: Io, flags: FormatFlags): Promise<number> {
  const format = formatOf(flags.format, io);
  if (format === "json" || format === "ndjson") {
    const text = JSON.stringify(value, undefined, format === "json" ? 2 : undefined);
    await write(io.stdout, `${io.stdout.isTTY ? printableJson(text) : text}\n`);
    return exitCodes.done;
  }
  const columns = await readColumns({ name: "text", value: "text" }, { columns: "name,value" });
  const rows = rowsOf(value).map(([name, text]) => ({ name, value: text }));
  return printAll(io, createEncoder(io, { format, columns: "name,value" }, columns), rows);
}

/** The values in an object with their paths, as in `votes.statistics[0].proposal`. */
export function rowsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, each]) => rowsOf(each, path === "" ? name : `${path}.${name}`));
}
