import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readColumns } from "../../../src/cli/output/columns.js";
import { Table } from "../../../src/cli/output/table.js";
import { pad, widthOf } from "../../../src/cli/output/width.js";

const kinds = { timestamp: "time", balance: "amount", partyId: "text", alias: "text" } as const;
const columns = readColumns(kinds, undefined, { raw: true });
const tableOf = (records: Record<string, string>[], width?: number) => {
  const table = new Table(columns, { width, bold: (text) => `*${text}*` });
  return records.map((record) => table.line(record)).join("") + table.flush();
};

describe("a table", () => {
  test("has a bold head, numbers at the end of their column, and every column", () => {
    const records = [
      { timestamp: "5", balance: "1000", partyId: "ab" },
      { timestamp: "6", balance: "7", partyId: "cd" },
    ];
    expect(tableOf(records)).toBe(
      "*timestamp  balance  partyId  alias*\n5             1000  ab\n6                7  cd\n",
    );
  });

  test("is a block for each record with whole values, if a row is wider than the terminal", () => {
    const id = "ab".repeat(32);
    const records = [
      { timestamp: "1707497689123456789", balance: "1".repeat(30), partyId: id, alias: "Ana" },
      { timestamp: "1707497689123456789", balance: "2", partyId: id },
    ];
    const block = (number: number, balance: string, alias: string) =>
      `-- ${number} ${"-".repeat(44)}\n*timestamp*  1707497689123456789\n*balance  *  ${balance}\n*partyId  *  ${id}\n*alias    *${alias}\n`;
    expect(tableOf(records, 80)).toBe(block(1, "1".repeat(30), "  Ana") + block(2, "2", ""));
    expect(tableOf(records, 140).split("\n")).toHaveLength(4);
  });

  test("begins before its last row, and wider values of later rows widen their columns", () => {
    const table = new Table(columns, { width: 80, bold: (text) => text });
    const texts = Array.from({ length: 150 }, (_, row) => table.line({ timestamp: String(row), balance: "7" }));
    expect(texts.slice(0, 99).join("")).toBe("");
    expect(texts[99]?.split("\n")).toHaveLength(102);
    expect(texts[149]).toBe("149              7\n");
    expect(table.line({ timestamp: "1", balance: "1".repeat(20), partyId: "ab" })).toBe(
      `1          ${"1".repeat(20)}  ab\n`,
    );
    expect(table.line({ timestamp: "1", balance: "2", partyId: "ab" })).toBe(`1          ${"2".padStart(20)}  ab\n`);
    expect(table.flush()).toBe("");
  });

  test("shows control characters and marks of direction as replacement characters", () => {
    expect(tableOf([{ alias: "a\u001b[31m\nb\u202e" }])).toBe(
      "*timestamp  balance  partyId  alias*\n                             a�[31m�b�\n",
    );
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

  test("that is padded is the width that was asked for", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "は", "🏦", "é", "e\u0301", "-") });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (text, width) => {
        const expected = Math.max(width, widthOf(text));
        expect(widthOf(pad(text, width, "end"))).toBe(expected);
        expect(pad(text, width, "start").trimStart()).toBe(text);
      }),
    );
  });
});
