import { expect, test } from "vitest";
import { sortRows } from "../../src/explore/page/table.js";

const column = { name: "Change", width: 9, cell: String, sort: (value: unknown) => value, isNumber: true };

test.each([
  [1, ["-30", "-2", "0", "7", "10", undefined, "", "lots"]],
  [-1, ["10", "7", "0", "-2", "-30", undefined, "", "lots"]],
] as const)("amounts are sorted as numbers in either direction, with unknown ones last: %d", (sign, sorted) => {
  expect(sortRows([undefined, "7", "", "-2", "10", "lots", "-30", "0"], column, sign)).toEqual(sorted);
});

test("texts are sorted as texts, with empty ones first", () => {
  expect(sortRows(["10", undefined, "9"], { ...column, isNumber: false }, 1)).toEqual([undefined, "10", "9"]);
});
