import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findChange, LineDigest } from "../../../../src/cli/files/line-digest.js";

const digestOf = (text: string, chunk = 4096) => {
  const digest = new LineDigest();
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += chunk) digest.add(bytes.subarray(start, start + chunk));
  return digest.digest();
};
const textOf = (lines: readonly number[]) => lines.map((line) => `line ${line}\n`).join("");
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("the digest of a text", () => {
  test("is the same however the text was divided", () => {
    const text = textOf(numbers(5000));
    for (const chunk of [1, 7, 1000, 100_000]) expect(digestOf(text, chunk)).toEqual(digestOf(text));
    expect(digestOf(text)).toMatchObject({ lines: 5000, bytes: text.length });
  });

  test("finds the line of any change in up to 1000 lines", () => {
    const counts = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(counts, fc.nat(), fc.constantFrom("edit", "insert", "remove", "cut"), (count, seed, change) => {
        const index = seed % count;
        const lines = numbers(count);
        const changed = {
          edit: [...lines.slice(0, index), 0],
          insert: [...lines.slice(0, index), 0, ...lines.slice(index)],
        };
        const others = { remove: [...lines.slice(0, index), ...lines.slice(index + 1)], cut: lines.slice(0, index) };
        const found = digestOf(
          textOf({ ...changed, ...others, edit: [...changed.edit, ...lines.slice(index + 1)] }[change]),
        );
        expect(findChange(digestOf(textOf(lines)), found)?.first).toBe(index + 1);
      }),
    );
  });

  test("finds a change in a long text within a thousandth of it", () => {
    const lines = numbers(100_000);
    const written = digestOf(textOf(lines));
    for (const index of [0, 55_555, 99_990]) {
      const found = digestOf(textOf(lines.map((line) => (line === index + 1 ? 0 : line))));
      const { first = 0, end = lines.length } = findChange(written, found) ?? {};
      expect(first).toBeLessThanOrEqual(index + 1);
      expect(end).toBeGreaterThan(index);
      expect(end - first).toBeLessThan(200);
    }
    expect(findChange(written, digestOf(textOf(lines)))).toBeUndefined();
  });

  test("finds what was added behind the last line, and text without a line feed", () => {
    expect(findChange(digestOf("a\nb\n"), digestOf("a\nb\nc"))).toEqual({ first: 3, end: undefined });
    expect(findChange(digestOf("a\nb\n"), digestOf("a\nb"))).toEqual({ first: 2, end: 3 });
  });
});
