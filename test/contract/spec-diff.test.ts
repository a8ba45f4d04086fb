import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { diff, nextVersion } from "../../scripts/spec-diff.js";
import { changes, type Description, description } from "../changes.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "spec-diff-test-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: Description): Promise<string> {
  const path = join(folder, `${name}.yaml`);
  await writeFile(path, stringify(content, { aliasDuplicateObjects: false }));
  return path;
}

describe("a change of the description is judged", () => {
  test.concurrent.each(changes)("$what: $asksFor", async ({ what, asksFor, make }) => {
    const changed = description();
    make(changed);
    const [base, revision] = [await file(`${what} before`, description()), await file(`${what} after`, changed)];
    const result = await diff(base, revision);
    expect(result.asksFor).toBe(asksFor);
    expect(result.changes.map(({ impact }) => impact)).toEqual(
      asksFor === "none" ? [] : expect.arrayContaining([asksFor]),
    );
  });

  test.each([
    ["1.4.2", "major", "2.0.0"],
    ["1.4.2", "minor", "1.5.0"],
    ["1.4.2", "patch", "1.4.3"],
    ["0.4.2", "major", "0.5.0"],
    ["0.4.2", "minor", "0.4.3"],
    ["0.4.2", "none", "0.4.2"],
  ] as const)("from version %s on, a %s change asks for %s", (version, impact, next) => {
    expect(nextVersion(version, impact)).toBe(next);
  });
});

describe("npm run spec:diff", () => {
  async function specDiff(...args: string[]) {
    const child = spawn("npm", ["run", "--silent", "spec:diff", "--", ...args], { cwd: root });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (text) => (output.stdout += text));
    child.stderr.on("data", (text) => (output.stderr += text));
    const status = await new Promise((resolve) => child.on("close", resolve));
    return { status, ...output };
  }

  test("tells people and programs what broke, and fails where package.json promises less", async () => {
    const before = description();
    // The description of today lacks an operation that this one had.
    const { "/api/v2/votes": path } = before.paths;
    before.paths["/api/v2/ballots"] = { get: { ...path?.["get"], operationId: "listBallots" } as never };
    before.info.version = "1.0.0";
    const base = await file("with one more operation", before);

    const people = await specDiff(base);
    expect(people.status).toBe(0);
    expect(people.stdout).toContain("Breaks");
    expect(people.stdout).toContain("Path `/api/v2/ballots` was removed.");
    expect(people.stdout).toContain("This is a major change: at least version 2.0.0.");

    const { stdout } = await specDiff(base, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      asksFor: "major",
      version: "2.0.0",
      base: { name: base, version: "1.0.0" },
    });

    const checked = await specDiff(base, "--check");
    expect(checked.status).toBe(1);
    expect(checked.stderr).toMatch(
      /package\.json promises 0\.\d+\.\d+; the changes of openapi\.yaml ask for 2\.0\.0 at least\.\n$/,
    );
  });

  test("says what it expects where there is nothing to compare with", async () => {
    const { status, stderr } = await specDiff("no-such-ref");
    expect(status).toBe(1);
    expect(stderr).toMatch(/Expected a file, or a git ref with an openapi\.yaml, got "no-such-ref"\.\n$/);
  });
});
