import { describe, expect, test } from "vitest";
import { createRender, outdatedPages, readProgram } from "../../../../scripts/docs/options.js";

describe("the tables of options", () => {
  const render = createRender(readProgram());
  const rows = (marker: string) =>
    render(`<!-- options: ${marker} -->\n<!-- /options -->`)
      .split("\n")
      .filter((line) => line.startsWith("| `"));

  test("say on every page what the types say", async () => {
    expect((await outdatedPages(render)).map(({ name }) => name)).toEqual([]);
  });

  test("have defaults with their units", () => {
    const options = rows("ClientOptions").join("\n");
    expect(options).toContain("| `timeout` | 30,000\u00a0ms |");
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
