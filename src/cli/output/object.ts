import type { CommandContext } from "../command.js";
import type { Column } from "./columns.js";
import { createFormat, readFormat, tableFormat } from "./format.js";
import { printableJson } from "./printable.js";
import { stdoutWriter } from "./stdout.js";

const column = (name: string): Column => ({ name, kind: "text", print: (text) => text, parse: (text) => text });
const columns = [column("name"), column("value")];

/** Prints one object: as JSON, or with a row for each value in it. */
export async function printObject(value: object, { io, values }: CommandContext): Promise<void> {
  const name = readFormat(values, io);
  const write = stdoutWriter(io.stdout);
  if (name === "json" || name === "ndjson") {
    const json = JSON.stringify(value, undefined, name === "json" ? 2 : undefined);
    return write(`${io.stdout.isTTY ? printableJson(json) : json}\n`);
  }
  // A row has a name and a value: as a block, it would be no easier to read.
  const format = name === "table" ? tableFormat(columns, io) : createFormat(name, columns, io, false);
  const lines = rowsOf(value).map(([path, text]) => format.line({ name: path, value: text }));
  return write([format.head, ...lines, format.end()].join(""));
}

/** The values in an object with their paths, as in `votes.statistics[0].proposal`. */
function rowsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, each]) => rowsOf(each, path === "" ? name : `${path}.${name}`));
}
