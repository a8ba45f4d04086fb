import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, suggest } from "../../../src/cli/suggest.js";

describe("the distance of two words", () => {
  test("counts insertions, deletions, replacements and swaps of neighbors", () => {
    expect(distance("balances", "balances")).toBe(0);
    expect(distance("balnces", "balances")).toBe(1);
    expect(distance("blaances", "balances")).toBe(1);
    expect(distance("ballances", "balances")).toBe(1);
    expect(distance("balanzes", "balances")).toBe(1);
    expect(distance("", "abc")).toBe(3);
    expect(distance("ca", "abc")).toBe(3);
  });

  test("is the same in both directions, and at most one after one edit", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.nat(8), (a, b, at) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(distance(b, `${b.slice(0, at)}x${b.slice(at)}`)).toBe(1);
        expect(distance(b, `${b.slice(0, at)}${b[at + 1] ?? ""}${b[at] ?? ""}${b.slice(at + 2)}`)).toBeLessThanOrEqual(
          1,
        );
      }),
    );
  });
});

test("the closest name is suggested, and none if no name is close", () => {
  const names = ["votes", "profiles", "balances"];
  expect(suggest("vote", names)).toBe(" Did you mean votes?");
  expect(suggest("balacnes", names)).toBe(" Did you mean balances?");
  expect(suggest("export", names)).toBe("");
  expect(suggest("export", [])).toBe("");
});
