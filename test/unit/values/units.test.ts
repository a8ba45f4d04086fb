import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatUnits, parseUnits } from "../../../src/index.js";

/** An {@link ArgumentError} with a message. */
const errorWith = (message: string) => expect.objectContaining({ name: "ArgumentError", message });

describe("formatUnits", () => {
  test("writes the decimal places of an amount and leaves out zeros at their end", () => {
    expect(formatUnits(420_000_000_000n, 9)).toBe("420");
    expect(formatUnits(-1n, 18)).toBe("-0.000000000000000001");
    expect(["1500", "0", "-0", "007"].map((amount) => formatUnits(amount, 3))).toEqual(["1.5", "0", "0", "0.007"]);
  });

  test("equals the integer and the remainder of a division by a power of ten", () => {
    const amounts = fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 80 }), (amount, decimals) => {
        const [whole = "", fraction = ""] = formatUnits(amount, decimals).replace("-", "").split(".");
        const size = amount < 0n ? -amount : amount;
        expect(BigInt(whole)).toBe(size / 10n ** BigInt(decimals));
        expect(BigInt(fraction.padEnd(decimals, "0") || 0)).toBe(size % 10n ** BigInt(decimals));
        expect(fraction.endsWith("0")).toBe(false);
        expect(formatUnits(amount, decimals).startsWith("-")).toBe(amount < 0n);
      }),
    );
  });

  test.each(["1.5", "", "0x10", " 1", "1e3"])("refuses the amount %j, which is not an integer", (amount) => {
    const message = `Expected an amount as a bigint or a string of digits, got ${JSON.stringify(amount)}.`;
    expect(() => formatUnits(amount, 2)).toThrow(errorWith(message));
  });
});

describe("parseUnits", () => {
  test("is the inverse of formatUnits for every amount and number of decimals", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 255 }), (amount, decimals) => {
        expect(parseUnits(formatUnits(amount, decimals), decimals)).toBe(amount);
      }),
    );
  });

  test("reads a number without a whole part, without a fraction, and with zeros at its end", () => {
    expect(parseUnits(".5", 1)).toBe(5n);
    expect(parseUnits("3.", 2)).toBe(300n);
    expect(parseUnits("1.500000", 1)).toBe(15n);
  });

  test("refuses to round a number with more decimal places than the asset has", () => {
    expect(() => parseUnits("0.0015", 3)).toThrow(errorWith('Expected at most 3 decimal places, got "0.0015".'));
  });

  test("reads a million zeros without a search for the last ones, which would take hours", () => {
    const zeros = "0".repeat(1_000_000);
    expect(parseUnits(`1.5${zeros}`, 2)).toBe(150n);
    expect(() => parseUnits(`1.5${zeros}1`, 2)).toThrow("Expected at most 2 decimal places");
  });

  test.each(["", "-", ".", "1,5", "1e3", "+1", " 1", "1.2.3"])("refuses %j, which is not a decimal number", (text) => {
    const message = `Expected a decimal number such as "1.5", got ${JSON.stringify(text)}.`;
    expect(() => parseUnits(text, 2)).toThrow(errorWith(message));
  });
});

test.each([-1, 1.5, 256, Number.NaN])("formatUnits and parseUnits refuse %d decimals", (decimals) => {
  const error = errorWith(`Expected the number of decimals to be an integer from 0 to 255, got ${decimals}.`);
  expect(() => formatUnits(1n, decimals)).toThrow(error);
  expect(() => parseUnits("1", decimals)).toThrow(error);
});
