import { styleText } from "node:util";
import type { Flags, FormatName } from "../flags.js";
import { count, hasColors, type Io, OutputClosed, printable, printableJson, printMessage, widthOf } from "../io.js";
import type { ColumnKinds } from "../operations.js";
import { type Encoder, readColumns, type Units, type WireRecord } from "./columns.js";
import { csv } from "./csv.js";
import { openOutput, readTarget } from "./file.js";
import { html, type Look } from "./html.js";
import { json, ndjson } from "./json.js";
import { svg } from "./svg.js";
import { table } from "./table.js";

export const formatOf = (entered: FormatName | undefined, io: Io): FormatName =>
  entered ?? (io.stdout.isTTY === true ? "table" : "ndjson");

/** @param format - The format of a file. Default: the text is for stdout, which can be a terminal. */
export function createEncoder(
  io: Io,
  flags: Flags,
  kinds: ColumnKinds,
  format?: FormatName,
  look: Look = { title: "Records" },
): Encoder {
  const columns = readColumns(kinds, flags, look.units);
  const isStdout = format === undefined;
  const isScreen = isStdout && io.stdout.isTTY === true;
  switch (format ?? formatOf(flags.format, io)) {
    case "csv":
      return csv(columns, isScreen ? printable : undefined);
    case "html":
      return html(columns, flags, look);
    case "svg":
      return svg(flags.timeZone, look);
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
    isOpen: look.isOpen,
    widest: look.widest,
    width: isFitted ? width : undefined,
    onHidden: (names) => {
      if (flags.quiet) return;
      printMessage(io, `The terminal is too narrow for ${names.join(", ")}: choose with --columns.`);
    },
  });
}

/** @param print - Writes the text and returns the number of records. It gets the format of the file, if there is one. */
export async function printText(
  io: Io,
  { output, force, format, quiet }: Pick<Flags, "output" | "force" | "format" | "quiet">,
  print: (write: (text: string) => Promise<void>, format: FormatName | undefined) => Promise<number>,
  noun = "record",
): Promise<void> {
  const target = readTarget(output, format);
  const opened = openOutput(io, target, force);
  try {
    const records = await print(opened.write, target?.format);
    await opened.finish();
    if (target && !quiet) printMessage(io, `${target.name}: ${count(records, noun)}.`);
    else if (records === 0 && !quiet) printMessage(io, "No records.");
  } catch (error) {
    await opened.stop(false);
    throw error;
  }
}

/** How many records are encoded at once: a string of Node.js has at most half a gigabyte. */
const batchSize = 10_000;

export function* encode(encoder: Encoder, records: readonly WireRecord[]): Generator<string> {
  yield encoder.head;
  for (let first = 0; first < records.length; first += batchSize) {
    yield encoder.encode(records.slice(first, first + batchSize));
  }
  yield encoder.end();
}

export const printRecords = (
  io: Io,
  flags: Flags,
  kinds: ColumnKinds,
  read: () => Promise<readonly object[]>,
  units?: Units,
  look: Look = { title: "Records" },
): Promise<void> =>
  printText(io, flags, async (write, format) => {
    const encoder = createEncoder(io, flags, kinds, format, { ...look, units });
    const records = (await read()) as readonly WireRecord[];
    for (const text of encode(encoder, records)) await write(text);
    return records.length;
  });

/** Prints unknown values, which are `undefined`, as `null`. */
export const orNull = (_: string, value: unknown): unknown =>
  value === undefined ? null : typeof value === "bigint" ? `${value}` : value;

/** Prints one object and returns it: as JSON, or with a row for each value in it. Tables leave out unknown values. */
export async function printObject<T extends object>(
  io: Io,
  flags: Flags,
  read: () => PromiseLike<T>,
  title = "Result",
): Promise<T> {
  let value: T | undefined;
  await printText(io, flags, async (write, named) => {
    const format = named ?? formatOf(flags.format, io);
    value = await read();
    if (format === "json" || format === "ndjson") {
      const text = JSON.stringify(value, orNull, format === "json" ? 2 : undefined);
      await write(`${named === undefined && io.stdout.isTTY ? printableJson(text) : text}\n`);
      return 1;
    }
    const rows = rowsOf(value).filter((row) => format === "csv" || row.value !== undefined);
    const shown = { ...flags, format, columns: "name,value" };
    const encoder = createEncoder(io, shown, { name: "text", value: "text" }, named, { title });
    for (const text of encode(encoder, rows)) await write(text);
    return 1;
  }).catch((error: unknown) => {
    // The exit code depends on the value, also if stdout is closed.
    if (value === undefined || !(error instanceof OutputClosed)) throw error;
  });
  return value as T;
}

/** The values in an object with their paths, such as `votes.statistics[0].proposal`. */
export function rowsOf(value: unknown, path = ""): { name: string; value: string | undefined }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${path}[${index}]`));
  if (typeof value !== "object" || value === null)
    return [{ name: path, value: value === undefined ? value : String(value) }];
  return Object.entries(value).flatMap(([name, each]) => rowsOf(each, path === "" ? name : `${path}.${name}`));
}
