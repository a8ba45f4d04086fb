import { expect, test } from "vitest";
import { isDigits } from "../../../src/values/integers.js";

test.each([
  ["0", true],
  [`-${"9".repeat(100)}`, true],
  // `BigInt` of more digits can block the program.
  ["9".repeat(101), false],
  ["", false],
  ["1.5", false],
  [5, false],
])("%j is an integer in digits: %j", (value, isInteger) => {
  expect(isDigits(value)).toBe(isInteger);
});
