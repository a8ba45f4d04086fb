import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Column, readColumns, wireText } from "../../../src/cli/output/columns.js";
import { csvLine, parseCsvLine } from "../../../src/cli/output/csv.js";
import { ndjsonLine, parseNdjsonLine } from "../../../src/cli/output/ndjson.js";

const kinds = { timestamp: "time", balance: "amount", alias: "text", sig: "exact", metadata: "json" } as const;
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom("'", "=", "+", '"', ",", ";", "|", " ", "\r", "\n", "a", "@", "-", "\t") }),
);
const records = fc.record(
  {
    timestamp: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    balance: fc.bigInt({ min: -(2n ** 100n), max: 2n ** 100n }).map(String),
    alias: text,
    sig: fc.oneof(fc.base64String(), text),
    metadata: fc.array(fc.record({ key: text, value: text })),
  },
  { requiredKeys: [] },
);
const presentations = fc.record({
  decimals: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  raw: fc.boolean(),
});
const textsOf = (record: object, columns: Column[]) => columns.map((column) => wireText({ ...record }, column));

describe("a record", () => {
  test("is read back from a row of CSV as the node sent it, whatever characters its texts have", () => {
    fc.assert(
      fc.property(records, presentations, (record, presentation) => {
        const columns = readColumns(kinds, undefined, presentation);
        const line = csvLine(record, columns);
        expect(line.endsWith("\r\n")).toBe(true);
        expect(parseCsvLine(line.slice(0, -2), columns)).toEqual(textsOf(record, columns));
      }),
    );
  });

  test("is read back from a line of NDJSON as the node sent it", () => {
    fc.assert(
      fc.property(records, presentations, (record, presentation) => {
        const columns = readColumns(kinds, undefined, presentation);
        const line = ndjsonLine(record, columns);
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(parseNdjsonLine(line, columns)).toEqual(textsOf(record, columns));
      }),
    );
  });
});

describe("a row of CSV", () => {
  const columns = readColumns(kinds, "alias,sig", { raw: true });
  const row = (alias: string, sig = "") => csvLine({ alias, sig }, columns).slice(0, -2);

  test("has an apostrophe before free text that a spreadsheet would run as a formula", () => {
    expect(row("=1+1")).toBe("'=1+1,");
    expect(row('=HYPERLINK("http://x")')).toBe(`"'=HYPERLINK(""http://x"")",`);
    expect(row("@SUM(A1)")).toBe("'@SUM(A1),");
    expect(row("-2")).toBe("'-2,");
    expect(row("\tx")).toBe("'\tx,");
    expect(row("'=x")).toBe("''=x,");
    expect(row("a;=1+1;b| -2|'@x")).toBe("a;'=1+1;b| '-2|''@x,");
    expect(row("\t=x")).toBe("'\t'=x,");
    expect(row("", '=HYPERLINK("x")')).toBe(`,"'=HYPERLINK(""x"")"`);
  });

  test("has text of a fixed form, and text that begins otherwise, as it is", () => {
    expect(row("a=b", "+/8=")).toBe("a=b,+/8=");
    expect(row("'quoted'")).toBe("'quoted',");
  });

  test("has JSON with the same value, in which a spreadsheet finds no formula", () => {
    const metadata = [{ key: "a;=1+1;b", value: "x|-2" }];
    const cell = csvLine({ metadata }, readColumns(kinds, "metadata", { raw: true }))
      .slice(1, -3)
      .replaceAll('""', '"');
    expect(cell).toContain("a;\\u003d1+1;b");
    expect(cell).toContain("x|\\u002d2");
    expect(JSON.parse(cell)).toEqual(metadata);
  });

  test("is refused if it has another number of cells, an open quote or text behind a quote", () => {
    for (const line of ["a", "a,b,c", 'a,"b', '"a"b,c', 'a"b,c']) expect(parseCsvLine(line, columns)).toBeUndefined();
  });
});

test("a line of NDJSON is refused if it is no object or has members that are no column", () => {
  const columns = readColumns(kinds, "alias", { raw: true });
  for (const line of ["[]", "null", "7", '{"alias":"a","other":1}']) {
    expect(parseNdjsonLine(line, columns)).toBeUndefined();
  }
});
