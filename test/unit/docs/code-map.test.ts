import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");

const page = read("src/README.md");
/** The rows of the tables that say where something is: cells with functions, and with files. */
const rows = ["One call in 20 lines", "Where is it in the code?"].flatMap((title) => {
  const section = page.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  return section.split("\n").filter((line) => /^\| .*\.ts`/.test(line));
});
const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

describe("the map of the code", () => {
  test("has a row for each step of a call, and 15 questions at least", () => {
    expect(rows.length).toBeGreaterThanOrEqual(14 + 15);
  });

  test.each(rows)("names functions of the files that it names: %s", (row) => {
    const cells = row.replace(/^\| /, "").split(" | ");
    const at = cells.findIndex((cell) => cell.includes(".ts`"));
    const code = namesIn(cells[at] ?? "").map((file) => read(`src/${file}`));
    const names = namesIn(cells[at - 1] ?? "");
    const has = (text: string, name: string) => ["(", "<", " ="].some((end) => text.includes(` ${name}${end}`));
    expect(names.filter((name) => !code.some((text) => has(text, name)))).toEqual([]);
  });
});
