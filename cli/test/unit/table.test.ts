import { expect, test } from "vitest";
import type { Column } from "../../src/output/columns.js";
import { type TableOptions, table } from "../../src/output/table.js";

const columns: Column[] = (["timestamp", "balance", "partyId", "alias"] as const).map((name) => ({
  name,
  kind: name === "balance" ? "amount" : "text",
  print: (text) => text,
}));
const tableOf = (records: Record<string, string>[], options: Partial<TableOptions> = {}) => {
  const { encode, end } = table(columns, { bold: (text) => `*${text}*`, ...options });
  return encode(records) + end();
};
const id = `${"abcd".repeat(15)}wxyz`;

test("a table has a bold head, numbers at the end of their column, and every column", () => {
  const first = { timestamp: "5", balance: "1000", partyId: "ab" };
  const lines = ["*timestamp  balance  partyId  alias*", "5             1000  ab", "6                7  cd", ""];
  expect(tableOf([first, { timestamp: "6", balance: "7", partyId: "cd" }])).toBe(lines.join("\n"));
});

test("a table shortens ids in the middle on a terminal, and no other value", () => {
  const alias = "a b ".repeat(12);
  const records = [{ timestamp: "1707497689123456789", balance: "1".repeat(40), partyId: id, alias }];
  const [head, row] = tableOf(records, { isShort: true }).split("\n");
  expect(head).toMatch(/ party +alias\*$/);
  expect(row).toBe(`1707497689123456789  ${"1".repeat(40)}  abcd…wxyz  ${alias.trimEnd()}`);
  expect(tableOf(records)).toContain(id);
});

test("a table shortens a long text where a terminal is too narrow for it", () => {
  const records = [{ timestamp: "5", balance: "1", partyId: id, alias: "🦊".repeat(40) }];
  const [, row] = tableOf(records, { isShort: true, width: 100 }).split("\n");
  expect(row).toMatch(/ {2}[a-d]{6} {2}🦊{31}…$/u);
});

test("a table shows whole seconds on a terminal, in any time zone", () => {
  const times: Column[] = [{ name: "timestamp", kind: "time", print: (text) => text }];
  const { encode } = table(times, { bold: (text) => text, isShort: true });
  const rows = ["Z", "+01:00", "-03:30"].map((zone) => ({ timestamp: `2024-02-09T17:54:55.123456000${zone}` }));
  const shown = ["Z", "+01:00", "-03:30"].map((zone) => `2024-02-09T17:54:55${zone}`);
  const lines = encode(rows).split("\n").slice(1, 4);
  expect(lines.map((line) => line.trim())).toEqual(shown);
});

test("a table leaves out columns for which a terminal is too narrow, and names them, but none that tells rows apart", () => {
  const hidden: (readonly string[])[] = [];
  const records = [{ timestamp: "1707497689123456789", balance: "1".repeat(30), partyId: id, alias: "Ana" }];
  const lines = tableOf(records, { width: 63, isShort: true, onHidden: (names) => hidden.push(names) }).split("\n");
  expect(lines[0]).toMatch(/^\*timestamp +balance +party\*$/);
  expect(lines[1]).toMatch(/ [a-d]{6}$/);
  expect(lines.every((line) => line.length <= 63 + 2)).toBe(true);
  expect(hidden).toEqual([["alias"]]);
  const [first] = tableOf(records, { width: 5 }).split("\n");
  expect(first).toMatch(/timestamp/);
});

test("a table leaves out an id that all rows have before other columns, unless later rows can have others", () => {
  const records = ["1", "2"].map((timestamp) => ({ timestamp, balance: "7", partyId: id, alias: "Ana" }));
  const [head] = tableOf(records, { width: 25, isShort: true }).split("\n");
  expect(head).toBe("*timestamp  balance  alias*");
  const [openHead] = tableOf(records, { width: 25, isShort: true, isOpen: true }).split("\n");
  expect(openHead).toBe("*timestamp  balance  party*");
});

test("a table never leaves out units, and ids of assets if units differ", () => {
  const all = (["timestamp", "balance", "unit", "assetId", "accountType"] as const).map(
    (name): Column => ({ name, kind: "text", print: (text) => text }),
  );
  const hiddenFor = (units: readonly string[]) => {
    const hidden: string[] = [];
    const onHidden = (names: readonly string[]) => hidden.push(...names);
    const { encode } = table(all, { width: 33, isShort: true, bold: (text) => text, onHidden });
    const record = { timestamp: "1", balance: "7", accountType: "general" };
    encode(units.map((unit, index) => ({ ...record, unit, assetId: `${index}` })));
    return hidden;
  };
  expect(hiddenFor(["VEGA", "DAI"])).toEqual(["assetId"]);
  expect(hiddenFor(["VEGA", "VEGA"])).toEqual([]);
});

test("a table widens columns for wider values of later rows", () => {
  const { encode } = table(columns, { width: 80, bold: (text) => text });
  expect(encode([{ timestamp: "149", balance: "7" }])).toBe("timestamp  balance  partyId  alias\n149              7\n");
  const wide = { timestamp: "1", balance: "1".repeat(20), partyId: "ab" };
  const rows = ["1".repeat(20), "2".padStart(20)].map((balance) => `1          ${balance}  ab\n`);
  expect(encode([wide, { ...wide, balance: "2" }])).toBe(rows.join(""));
});

test("a table aligns letters of East Asian scripts, emoji and combining characters", () => {
  const aliases = ["Eilís", "Eili\u0301s", "はなこ", "🏦 👩‍👩‍👧"];
  const records = aliases.map((partyId) => ({ partyId, alias: "|" }));
  const [, ...rows] = tableOf(records).trimEnd().split("\n");
  const spaces = [2, 2, 1, 2].map((count) => " ".repeat(count));
  expect(rows).toEqual(aliases.map((text, index) => `${" ".repeat(20)}${text}${spaces[index]}  |`));
});

test("a table can begin with more rows than a function takes arguments, such as all votes of a proposal", () => {
  const records = Array.from({ length: 130_000 }, (_, index) => ({ balance: `${index}` }));
  const { encode, end } = table(columns.slice(1, 2), { bold: String });
  expect((encode(records) + end()).split("\n")).toHaveLength(records.length + 2);
});
