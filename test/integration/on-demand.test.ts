import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../support/on-demand/program.mjs", import.meta.url));
const run = promisify(execFile);

/** Uses the client of `dist` in a process of its own, where what it loads on demand is there only after its first request. */
async function use(method: "call" | "loop" | "page" | "scan"): Promise<{ records: number; modules: string[] }> {
  const { stdout } = await run(process.execPath, [program, method], { timeout: 30_000 });
  return JSON.parse(stdout);
}

describe("code that is loaded on demand", () => {
  test.each(["loop", "page"] as const)("does not delay the first request of a %s", async (method) => {
    const { records, modules } = await use(method);
    expect(records).toBe(100);
    expect(modules).toContain("src/pagination/step.js");
    expect(modules).not.toContain("src/scan/open-scan.js");
  });

  test("of lists and scans is not loaded for one call", async () => {
    const { modules } = await use("call");
    expect(modules).toContain("src/client/client.js");
    expect(modules).not.toContain("src/pagination/read-pages.js");
    expect(modules).not.toContain("src/scan/open-scan.js");
  });

  test("of scans is loaded for a scan", async () => {
    const { records, modules } = await use("scan");
    expect(records).toBe(100);
    expect(modules).toContain("src/scan/open-scan.js");
  });
});
