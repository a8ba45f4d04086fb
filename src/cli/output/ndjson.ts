import type { Column, WireRecord } from "./columns.js";

/** A line of NDJSON: the members of a record that are there, in the order of the columns. */
export const ndjsonLine = (record: WireRecord, columns: readonly Column[]): string => `${jsonOf(record, columns)}\n`;

/** A record as JSON without spaces. */
export function jsonOf(record: WireRecord, columns: readonly Column[]): string {
  let json = "";
  for (const { name, print } of columns) {
    const value = record[name];
    if (value === undefined) continue;
    json += `${json === "" ? "{" : ","}${JSON.stringify(name)}:${JSON.stringify(typeof value === "string" ? print(value) : value)}`;
  }
  return json === "" ? "{}" : `${json}}`;
}

/** The texts that the node sent, of a line without its line break. `undefined` if it is not a line of these columns. */
export function parseNdjsonLine(line: string, columns: readonly Column[]): string[] | undefined {
  const record: unknown = JSON.parse(line);
  if (typeof record !== "object" || record === null || Array.isArray(record)) return undefined;
  const members = new Map(Object.entries(record));
  const texts = columns.map(({ name, parse }) => {
    const value = members.get(name);
    members.delete(name);
    if (typeof value === "string") return parse(value);
    return value === undefined || value === null ? "" : JSON.stringify(value);
  });
  return members.size === 0 ? texts : undefined;
}
