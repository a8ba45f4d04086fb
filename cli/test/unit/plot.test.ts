import fc from "fast-check";
import { expect, test } from "vitest";
import { chartsOf, plotOf } from "../../src/output/plot.js";

test("lines that begin with their first change are not stacked: their earlier balances are not in the series", () => {
  const row = (time: string, accountType: string, balance: string | undefined) =>
    ({ time, assetId: "c0", accountType, balance }) as const;
  const rows = [row("1", "MARGIN", "5"), row("1", "GENERAL", "7"), row("2", "GENERAL", "8")];
  const notesOf = (own: typeof rows) => chartsOf(own, new Map()).map(({ isStacked, notes }) => ({ isStacked, notes }));
  const begin = "A line begins with the first change in the range.";
  const gap = "A gap is a time without a known balance.";
  expect(notesOf(rows)).toEqual([{ isStacked: false, notes: [begin] }]);
  expect(notesOf(rows.slice(0, 2))).toEqual([{ isStacked: true, notes: [] }]);
  const unknown = [row("1", "MARGIN", undefined), row("1", "GENERAL", "7")];
  expect(notesOf(unknown)).toEqual([{ isStacked: true, notes: [gap] }]);
});

test("the axis of time has at least two times, whose texts have space, whatever the period", () => {
  const from = fc.integer({ min: 1_600_000_000, max: 2_000_000_000 });
  const length = fc.oneof(...[30, 6000, 90_000, 9_000_000, 600_000_000].map((max) => fc.integer({ min: 3, max })));
  const one: [number, number, number] = [1_600_000_000, 165_369, 330];
  const other: typeof one = [1_931_175_535, 1_156_715, 330];
  fc.assert(
    fc.property(from, length, fc.constantFrom(330, 390, 960, 1088), (start, seconds, width) => {
      const times = [start, start + seconds].map((time) => `${time}000000000`);
      const chart = { label: "", times, lines: [{ name: "", values: ["1", "2"] }], decimals: 0, notes: [] };
      const { shapes } = plotOf(chart, width, 300, String);
      const marks = shapes.filter(({ attributes }) => attributes["text-anchor"] === "middle");
      expect(marks.length).toBeGreaterThanOrEqual(2);
      for (const [index, { text, attributes }] of marks.slice(1).entries()) {
        // A digit is 6 pixels wide.
        const space = Number(attributes["x"]) - Number(marks[index]?.attributes["x"]);
        expect(space).toBeGreaterThan(6 * Math.max(String(text).length, String(marks[index]?.text).length));
      }
    }),
    { numRuns: 1000, examples: [one, other] },
  );
});

test.for([
  [18, ["0", "2E-19", "4E-19", "6E-19", "8E-19", "1E-18"]],
  [0, ["0", "0.2", "0.4", "0.6", "0.8", "1"]],
] as const)("the axis of amounts tells them apart with %i decimals", ([decimals, expected]) => {
  const lines = [{ name: "", values: ["1", "1"] }];
  const { shapes } = plotOf({ label: "", times: ["1", "2"], lines, decimals, notes: [] }, 330, 300, String);
  const marks = shapes.filter(({ attributes }) => attributes["text-anchor"] === "end");
  expect(marks.map(({ text }) => text)).toEqual(expected);
});
