import { describe, expect, test } from "vitest";
import { createRender, outdatedPages, readProgram } from "../../../scripts/docs/options.js";

describe("the tables of options", () => {
  const render = createRender(readProgram());

  test("say on every page what the types say", async () => {
    expect((await outdatedPages(render)).map(({ name }) => name)).toEqual([]);
  });

  test("have defaults with their units, and name the options of another type in one row", () => {
    const rows = (marker: string) => render(`<!-- options: ${marker} -->\n<!-- /options -->`);
    const options = rows("ClientOptions");
    for (const [name, value] of Object.entries({ timeout: "30,000\u00a0ms", maxResponseSize: "64\u00a0MiB" }))
      expect(options).toContain(`| \`${name}\` | ${value} |`);
    for (const row of ["| `pacing` | `true` |", "| `baseUrl` | required |", "| `observe` | none |"])
      expect(options).toContain(row);
    expect(rows("ScanOptions without CallOptions")).toMatch(/^\| `signal`, `headers`, .+errors\.md#options/m);
    expect(() => rows("NoOptions")).toThrow("Expected the package to export the type NoOptions.");
  });
});
