import { describe, expect, test } from "vitest";
import { namesOf, subjects, summaryOf } from "../../../../scripts/docs/api.js";
import { createRender, outdatedPages } from "../../../../scripts/docs/options.js";
import { readProgram, readPublicNames } from "../../../../scripts/docs/public-names.js";
import * as surface from "../../../../scripts/docs/surface.js";

const program = readProgram();
const names = readPublicNames(program);

describe("the API reference", () => {
  test("has every value that an entry exports, and no type of a whole operation", () => {
    const values = names.filter(({ isType }) => !isType).map(({ name }) => name);
    expect(values.sort()).toEqual(Object.keys(surface).sort());
    const types = names.filter(({ isType }) => isType).map(({ name }) => name);
    expect(types).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(?:paths|components|operations)$/)]));
  });

  test("has a sentence for every name", () => {
    const without = names.filter((each) => !/^[A-Z`].+\.$/.test(summaryOf(each)));
    expect(without.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  });

  test("has every name in one subject, and createClient() first", () => {
    const listed = subjects.flatMap((subject) => namesOf(subject, names).map(({ name }) => name));
    expect([...listed].sort()).toEqual(names.map(({ name }) => name).sort());
    expect(listed[0]).toBe("createClient");
  });

  test("has no subject without a name", () => {
    expect(subjects.filter((subject) => namesOf(subject, names).length === 0)).toEqual([]);
  });
});

describe("the tables of options", () => {
  const render = createRender(program);
  const rows = (marker: string) =>
    render(`<!-- options: ${marker} -->\n<!-- /options -->`)
      .split("\n")
      .filter((line) => line.startsWith("| `"));

  test("say on every page what the types say", async () => {
    expect((await outdatedPages(render)).map(({ name }) => name)).toEqual([]);
  });

  test("have defaults with their units", () => {
    const options = rows("ClientOptions").join("\n");
    expect(options).toContain("| `timeout` | 30\u00a0000\u00a0ms |");
    expect(options).toContain("| `retry.attempts` | 4 |");
    expect(options).toContain("| `maxResponseSize` | 64\u00a0MiB |");
    expect(options).toContain("| `pacing` | `true` |");
    expect(options).toContain("| `baseUrl` | required |");
    expect(options).toContain("| `observe` | none |");
  });

  test("name the options of another type in one row", () => {
    expect(rows("ScanOptions without CallOptions").at(-1)).toMatch(/^\| `signal`, `headers`, .+errors\.md#options/);
    expect(rows("FakeNodeOptions only lag, down").map((row) => row.split(" ")[1])).toEqual(["`lag`", "`down`"]);
  });

  test("reject a type that is not exported", () => {
    expect(() => rows("NoOptions")).toThrow("Expected the package to export the type NoOptions.");
  });
});
