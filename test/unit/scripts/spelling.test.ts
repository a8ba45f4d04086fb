import { expect, test } from "vitest";
import { americanOf, findSpellings } from "../../../scripts/check/spelling.js";

test.each([
  ["neighbouring", "neighboring"],
  ["Behaviours", "Behaviors"],
  ["unfavourable", "unfavorable"],
  ["deserialised", "deserialized"],
  ["recogniser", "recognizer"],
  ["normalisation", "normalization"],
  ["analyse", "analyze"],
  ["travelling", "traveling"],
  ["centred", "centered"],
  ["licences", "licenses"],
  ["judgement", "judgment"],
  ["whilst", "while"],
  ["misspelt", "misspelled"],
  ["greys", "grays"],
])("the American spelling of %s is %s", (british, american) => {
  expect(americanOf(british)).toBe(american);
});

test.each(
  "promise otherwise precise hours four your source contour analyses realistic finalist parameters labelledby".split(
    " ",
  ),
)("%s is no British spelling", (word) => {
  expect(americanOf(word)).toBeUndefined();
});

test("British spellings are found with their line, also as a part of a name", () => {
  expect(findSpellings("// fine\nconst rangeBehaviour = normaliseColours(labelledby);")).toEqual([
    { line: 2, word: "Behaviour", american: "Behavior" },
    { line: 2, word: "normalise", american: "normalize" },
    { line: 2, word: "Colours", american: "Colors" },
  ]);
});
