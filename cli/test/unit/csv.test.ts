import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ColumnKind } from "../../src/operations.js";
import type { Column } from "../../src/output/columns.js";
import { csv } from "../../src/output/csv.js";
import { json, ndjson } from "../../src/output/json.js";

const kinds = { timestamp: "time", balance: "amount", alias: "text", sig: "exact", metadata: "json" } as const;
const columnsOf = (...names: (keyof typeof kinds)[]): Column[] =>
  names.map((name) => ({ name, kind: kinds[name] as ColumnKind, print: (text) => text }));
const all = columnsOf("timestamp", "balance", "alias", "sig", "metadata");

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

/** The cells of rows of CSV by RFC 4180. */
function readCsv(content: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  for (let match = cell.exec(content); match !== null; match = cell.exec(content)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** A cell without the apostrophes that make a spreadsheet show a formula as text. */
const unguarded = (cell: string) => cell.replaceAll(/(?<=^|[;|\t\r\n])( *)'('*)(?=[=+\-@\t\r\n＝＋－＠])/g, "$1$2");

describe("a record", () => {
  test("is read back from a row of CSV as the node sent it, whatever characters its texts have", () => {
    fc.assert(
      fc.property(fc.array(records, { maxLength: 5 }), (some) => {
        const { head, encode } = csv(all);
        const [names, ...rows] = readCsv(head + encode(some));
        expect(names).toEqual(Object.keys(kinds));
        const read = rows.map(([timestamp = "", balance = "", alias = "", sig = "", metadata = ""]) => {
          const texts = { timestamp, balance, alias: unguarded(alias), sig: unguarded(sig) };
          return { ...texts, metadata: metadata === "" ? undefined : JSON.parse(metadata) };
        });
        const none = { timestamp: "", balance: "", alias: "", sig: "", metadata: undefined };
        expect(read).toEqual(some.map((record) => ({ ...none, ...record })));
      }),
    );
  });

  test("is read back from a line of NDJSON, and from a JSON array, as the node sent it", () => {
    fc.assert(
      fc.property(fc.array(records, { maxLength: 5 }), (some) => {
        const lines = some.map((record) => ndjson(all).encode([record]));
        for (const line of lines) expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(some);
        const { head, encode, end } = json(all);
        expect(JSON.parse(head + encode(some) + end())).toEqual(some);
      }),
    );
  });
});

describe("a row of CSV", () => {
  const { encode } = csv(columnsOf("alias", "sig"));
  const row = (alias: string, sig = "") => encode([{ alias, sig }]).slice(0, -2);

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
    const cell = csv(columnsOf("metadata")).encode([{ metadata }]).slice(1, -3).replaceAll('""', '"');
    expect(cell).toContain("a;\\u003d1+1;b");
    expect(cell).toContain("x|\\u002d2");
    expect(JSON.parse(cell)).toEqual(metadata);
  });

  test("with a long text in JSON takes no longer for spaces and apostrophes", () => {
    // In quadratic time, it would take minutes.
    const value = `|${" ".repeat(500_000)}${"'".repeat(500_000)}=1`;
    const cell = csv(columnsOf("metadata")).encode([{ metadata: [value] }]);
    expect(cell).toContain("'\\u003d1");
  });
});
