import fc from "fast-check";
import { expect, test } from "vitest";
import { Bytes } from "../../../src/cli/output/bytes.js";
import { readColumns, wireText } from "../../../src/cli/output/columns.js";
import { csvLine } from "../../../src/cli/output/csv.js";
import { ndjsonLine } from "../../../src/cli/output/ndjson.js";
import { RowEncoder } from "../../../src/cli/output/row-encoder.js";
import { canonicalLine } from "../../../src/values/canonical-line.js";

const kinds = { timestamp: "time", balance: "amount", alias: "text", sig: "exact", metadata: "json" } as const;
const text = fc.oneof(
  fc.stringMatching(/^[\w.:+=/ -]{0,70}$/),
  // The unit "binary" of fast-check takes half a second to be made.
  fc.string({ unit: fc.nat(0x10ffff).map((point) => String.fromCodePoint(point)) }),
  fc.string({
    unit: fc.constantFrom("'", "=", "+", '"', "\\", ",", ";", "|", " ", "\r", "\n", "a", "@", "-", "é", "\ud800"),
  }),
);
const records = fc.record(
  {
    timestamp: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    balance: fc.bigInt({ min: -(2n ** 100n), max: 2n ** 100n }).map(String),
    alias: text,
    sig: fc.oneof(fc.base64String(), text),
    metadata: fc.oneof(fc.array(fc.record({ key: text, value: text })), fc.constant(null), fc.boolean()),
  },
  { requiredKeys: [] },
);
const presentations = fc.record({
  decimals: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  raw: fc.boolean(),
});

test.each([
  { format: "csv", lineOf: csvLine },
  { format: "ndjson", lineOf: ndjsonLine },
] as const)(
  "rows of $format as bytes, and their canonical lines, are the same as those as text",
  ({ format, lineOf }) => {
    fc.assert(
      fc.property(fc.array(records), presentations, fc.integer({ min: 0, max: 300 }), (all, presentation, capacity) => {
        const columns = readColumns(kinds, undefined, presentation);
        const [rows, lines] = [new Bytes(capacity), new Bytes(capacity)];
        const encoder = new RowEncoder(format, columns, rows, lines);
        for (const record of all) encoder.add({ ...record });
        const textOf = (each: (record: Readonly<Record<string, unknown>>) => string) =>
          Buffer.from(all.map((record) => each({ ...record })).join(""));
        expect(rows.content.equals(textOf((record) => lineOf(record, columns)))).toBe(true);
        const canonical = textOf((record) => canonicalLine(columns.map((column) => wireText(record, column))));
        expect(lines.content.equals(canonical)).toBe(true);
      }),
    );
  },
);
