import type { FormatFlags } from "../flags.js";
import { type Io, printableJson, write } from "../io.js";
import type { Column } from "./cells.js";
import { createEncoder, formatOf } from "./encoder.js";

const column = (name: string): Column => ({ name, kind: "text", print: (text) => text });

/** Prints one object: as JSON, or with a row for each value in it. */
export async function printObject(value: object, io: Io, flags: FormatFlags): Promise<void> {
  const format = formatOf(flags.format, io);
  if (format === "json" || format === "ndjson") {
    const json = JSON.stringify(value, undefined, format === "json" ? 2 : undefined);
    return write(io.stdout, `${io.stdout.isTTY ? printableJson(json) : json}\n`);
  }
  const columns = [column("name"), column("value")];
  const encoder = await createEncoder(format, columns, io, { isStdout: true, hasChosenColumns: true });
  const rows = rowsOf(value).map(([name, text]) => encoder.encode({ name, value: text }));
  return write(io.stdout, [encoder.head, ...rows, encoder.end()].join(""));
}

/** The values in an object with their paths, as in `votes.statistics[0].proposal`. */
function rowsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, each]) => rowsOf(each, path === "" ? name : `${path}.${name}`));
}
