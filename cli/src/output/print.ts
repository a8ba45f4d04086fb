/** Prints records and objects to stdout. */
import { styleText } from "node:util";
import { exitCodes } from "../errors.js";
import type { FormatFlags, FormatName, PresentationFlags } from "../flags.js";
import { hasColors, type Io, printable, printableJson, printMessage, widthOf, write } from "../io.js";
import type { ColumnKind } from "../operations.js";
import type { Column, Encoder, WireRecord } from "./columns.js";
import { readColumns } from "./columns.js";
import { csv } from "./csv.js";
import { json, ndjson } from "./json.js";
import { table } from "./table.js";

export interface EncoderOptions {
  /** Whether the text is for stdout, which can be a terminal. A file has the data as it is. */
  readonly isStdout: boolean;
  /** Whether the user chose the columns: they are shown with whole values then, however wide they are. */
  readonly hasChosenColumns?: boolean;
  /** Called with the names of columns that are left out. */
  readonly onHidden?: (names: readonly string[]) => void;
}

/** The format of `--format`, or the default for a terminal or a pipe. */
export const formatOf = (entered: FormatName | undefined, io: Io): FormatName =>
  entered ?? (io.stdout.isTTY === true ? "table" : "ndjson");

export function createEncoder(
  format: FormatName,
  columns: readonly Column[],
  io: Io,
  { isStdout, hasChosenColumns = false, onHidden }: EncoderOptions,
): Encoder {
  const isScreen = isStdout && io.stdout.isTTY === true;
  if (format === "csv") return csv(columns, isScreen ? printable : undefined);
  if (format === "json") return json(columns, isScreen ? printableJson : undefined);
  if (format === "ndjson") return ndjson(columns, isScreen ? printableJson : undefined);
  const isBold = isStdout && hasColors(io, io.stdout);
  // In a pipe, COLUMNS sets the width.
  const width = isScreen ? widthOf(io.stdout) : Number(io.env["COLUMNS"]) || undefined;
  return table(columns, {
    bold: (text) => (isBold ? styleText("bold", text, { validateStream: false }) : text),
    isShort: isScreen && !hasChosenColumns,
    width: isStdout && !hasChosenColumns ? width : undefined,
    ...(onHidden && { onHidden }),
  });
}

export const describeHidden = (names: readonly string[]): string =>
  `The terminal is too narrow for ${names.join(", ")}: choose with --columns.`;

export interface PrintOptions {
  /** What follows a number of a column in a table. */
  readonly units?: Readonly<Record<string, string>>;
  readonly onHidden?: EncoderOptions["onHidden"];
}

export async function printRecords(
  io: Io,
  flags: PresentationFlags,
  kinds: Readonly<Record<string, ColumnKind>>,
  read: () => Promise<readonly object[]>,
  { units = {}, onHidden = (names) => printMessage(io, describeHidden(names)) }: PrintOptions = {},
): Promise<number> {
  const format = formatOf(flags.format, io);
  const columns = (await readColumns(kinds, flags)).map((column) => {
    const unit = format === "table" ? units[column.name] : undefined;
    return unit === undefined ? column : { ...column, print: (text: string) => text + unit };
  });
  const hasChosenColumns = flags.columns !== undefined;
  const encoder = createEncoder(format, columns, io, { isStdout: true, hasChosenColumns, onHidden });
  const records = (await read()) as readonly WireRecord[];
  await write(io.stdout, encoder.head + encoder.encode(records) + encoder.end());
  return exitCodes.done;
}

const column = (name: string): Column => ({ name, kind: "text", print: (text) => text });

/** Prints one object: as JSON, or with a row for each value in it. What is unknown is left out. */
export async function printObject(value: object, io: Io, flags: FormatFlags): Promise<number> {
  const format = formatOf(flags.format, io);
  if (format === "json" || format === "ndjson") {
    const text = JSON.stringify(value, undefined, format === "json" ? 2 : undefined);
    await write(io.stdout, `${io.stdout.isTTY ? printableJson(text) : text}\n`);
    return exitCodes.done;
  }
  const columns = [column("name"), column("value")];
  const encoder = createEncoder(format, columns, io, { isStdout: true, hasChosenColumns: true });
  const rows = rowsOf(value).map(([name, text]) => ({ name, value: text }));
  await write(io.stdout, encoder.head + encoder.encode(rows) + encoder.end());
  return exitCodes.done;
}

/** The values in an object with their paths, as in `votes.statistics[0].proposal`. */
function rowsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, each]) => rowsOf(each, path === "" ? name : `${path}.${name}`));
}
