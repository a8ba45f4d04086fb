import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/values/sha256.js";

test("sha256Hex agrees with Node.js for texts of every length around a block, in UTF-8", () => {
  const oracle = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");
  for (let length = 0; length < 200; length++) expect(sha256Hex("x".repeat(length))).toBe(oracle("x".repeat(length)));
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => sha256Hex(text) === oracle(text)));
});
