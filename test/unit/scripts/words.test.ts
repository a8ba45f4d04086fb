import { expect, test } from "vitest";
import { findWords, testNames } from "../../../scripts/check/words.js";

test("the word list reports a term with its line and the term to use", () => {
  const text = "// The page at hand.\n\n// A request that nobody\n// sent.";
  expect(findWords("src/a.ts", text, [])).toEqual([
    { line: 1, term: "at hand", use: "current" },
    { line: 3, term: "nobody", use: "name the actor: the caller, another client" },
  ]);
});

test("the word list reports a term that is divided between two lines of a comment", () => {
  for (const text of [" * It is under\n * way.", "  // It is under\n  // way.", "It is under\nway."]) {
    expect(findWords("src/a.ts", text, [])).toMatchObject([{ line: 1, use: "in flight" }]);
  }
});

test("the word list reports an identifier that is a part of another one", () => {
  const found = findWords("src/a.ts", "const openTickets = maxSlots + properties.length + stopwatch;", []);
  expect(found.map(({ term }) => term)).toEqual(["Tickets", "Slots"]);
});

test("the word list reports no word that only contains a term", () => {
  expect(findWords("src/a.ts", "A copyright, a soundtrack, a brightness and bilateral properties.", [])).toEqual([]);
});

test("the word list respects an allowance in its file and for its text only", () => {
  const allowance = { text: "limit.refusals", file: "src/a.ts", reason: "A public name." };
  const used: unknown[] = [];
  const find = (file: string, text: string) =>
    findWords(file, text, [allowance], (each) => used.push(each)).map(({ term }) => term);
  expect(find("src/a.ts", "limit.refusals")).toEqual([]);
  expect(used).toEqual([allowance]);
  expect(find("src/b.ts", "limit.refusals")).toEqual(["refusals"]);
  expect(find("src/a.ts", "limit.refusals of a refusal")).toEqual(["refusal"]);
});

test("the names of tests are found with their lines, and the rest of a test is not", () => {
  const text = [
    "const answer = 1;",
    'describe("a page", () => {',
    '  test.each([["an answer"]])("of %s is right", () => {});',
    "});",
  ].join("\n");
  expect(testNames(text)).toBe('\n"a page"\n"of %s is right"\n');
  expect(findWords("test/a.test.ts", testNames(text), [])).toEqual([{ line: 3, term: "right", use: "correct" }]);
});
