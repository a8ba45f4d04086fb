import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readColumns } from "../../../src/cli/output/columns.js";
import { Table } from "../../../src/cli/output/table.js";
import { pad, shorten, widthOf } from "../../../src/cli/output/width.js";

const kinds = { timestamp: "time", balance: "amount", partyId: "text", alias: "text" } as const;
const columns = readColumns(kinds, undefined, { raw: true });
const tableOf = (records: Record<string, string>[], width?: number) => {
  const table = new Table(columns, { width, bold: (text) => `*${text}*` });
  return records.map((record) => table.line(record)).join("") + table.end();
};

describe("a table", () => {
  test("has a bold head, numbers at the end of their column, and no column without a value", () => {
    const records = [
      { timestamp: "5", balance: "1000", partyId: "ab" },
      { timestamp: "6", balance: "7", partyId: "cd" },
    ];
    expect(tableOf(records)).toBe("*timestamp  balance  partyId*\n5             1000  ab\n6                7  cd\n");
  });

  test("shortens ids and text in their middle so that lines fit the terminal, and never times and amounts", () => {
    const record = {
      timestamp: "1707497689123456789",
      balance: "1".repeat(30),
      partyId: "ab".repeat(32),
      alias: "Ana",
    };
    const lines = tableOf([record], 80).trimEnd().split("\n");
    expect(lines.map(widthOf).every((width) => width <= 82)).toBe(true);
    expect(lines[1]).toMatch(/^1707497689123456789 {2}1{30} {2}[ab]+…[ab]+ {2}Ana$/);
  });

  test("begins before its last row: the first rows decide the widths", () => {
    const table = new Table(columns, { width: undefined, bold: (text) => text });
    const texts = Array.from({ length: 150 }, (_, row) => table.line({ timestamp: String(row) }));
    expect(texts.slice(0, 99).join("")).toBe("");
    expect(texts[99]?.split("\n")).toHaveLength(102);
    expect(texts[149]).toBe("149\n");
    expect(table.end()).toBe("");
  });

  test("shows control characters and marks of direction as replacement characters", () => {
    expect(tableOf([{ alias: "a\u001b[31m\nb\u202e" }])).toBe("*alias*\na�[31m�b�\n");
  });

  test("without a row prints nothing", () => {
    expect(tableOf([])).toBe("");
  });
});

describe("the width of text on a terminal", () => {
  test("is two for letters of East Asian scripts and emoji, and none for combining characters", () => {
    expect(widthOf("Eilís")).toBe(5);
    expect(widthOf("Eili\u0301s")).toBe(5);
    expect(widthOf("はなこ")).toBe(6);
    expect(widthOf("🏦 👩‍👩‍👧")).toBe(5);
  });

  test("of a shortened or padded text is at most the width that was asked for", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "は", "🏦", "é", "e\u0301", "-") });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (text, width) => {
        const short = shorten(text, width);
        expect(widthOf(short)).toBeLessThanOrEqual(width);
        if (widthOf(text) <= width) expect(short).toBe(text);
        expect(widthOf(pad(short, width, "end"))).toBe(width);
        expect(pad(short, width, "start").trimStart()).toBe(short);
      }),
    );
  });
});
