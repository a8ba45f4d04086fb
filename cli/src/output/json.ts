import type { Column, Encoder, WireRecord } from "./columns.js";

const asIs = (json: string) => json;

/** The members of a record in the order of the columns. Without columns, the whole record. */
function jsonOf(record: WireRecord, columns: readonly Column[]): string {
  if (columns.length === 0) return JSON.stringify(record);
  const members = columns.map(({ name, member = name, print }) => {
    const value = record[member];
    return [name, typeof value === "string" ? print(value, record) : value];
  });
  return JSON.stringify(Object.fromEntries(members));
}

export const ndjson = (columns: readonly Column[], show = asIs): Encoder => ({
  head: "",
  encode: (records) => records.map((record) => `${show(jsonOf(record, columns))}\n`).join(""),
  end: () => "",
});

/** One JSON array, with a record on each line. */
export function json(columns: readonly Column[], show = asIs): Encoder {
  let isEmpty = true;
  return {
    head: "[",
    encode(records) {
      const lines = records.map(
        (record, index) => (isEmpty && index === 0 ? "\n" : ",\n") + show(jsonOf(record, columns)),
      );
      isEmpty &&= records.length === 0;
      return lines.join("");
    },
    end: () => (isEmpty ? "]\n" : "\n]\n"),
  };
}
