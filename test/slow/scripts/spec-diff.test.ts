import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { description, textOf } from "../../support/description-changes.js";
import { runNpm } from "../../support/run-npm.js";

describe("npm run spec:diff", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "spec-diff-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const specDiff = (...args: string[]) => runNpm(["run", "--silent", "spec:diff", "--", ...args]);

  test("prints the changes as text and as JSON, and fails if the version in package.json is too low", async () => {
    const before = description();
    const { "/api/v2/votes": path } = before.paths;
    before.paths["/api/v2/ballots"] = { get: { ...path?.["get"], operationId: "listBallots" } as never };
    before.info.version = "1.0.0";
    const base = join(folder, "with-one-more-operation.yaml");
    await writeFile(base, textOf(before));

    expect(await specDiff(base)).toMatchObject({
      status: 0,
      stdout: `GET /api/v2/ballots: removed (breaking)\n\nThe changes since ${base} (1.0.0) are breaking: the next version is 2.0.0 or later.\n`,
    });
    const { stdout } = await specDiff(base, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      impact: "major",
      version: "2.0.0",
      base: { name: base, version: "1.0.0" },
    });
    const checked = await specDiff(base, "--check");
    expect(checked.status).toBe(1);
    expect(checked.stderr).toMatch(/Expected package\.json to have version 2\.0\.0 or later, got \d+\.\d+\.\d+\.\n$/);
  });

  test("prints what it expected if there is no description to compare with", async () => {
    const { status, stderr } = await specDiff("no-such-ref");
    expect(status).toBe(1);
    expect(stderr).toMatch(/Expected a file, or a git ref with an openapi\.yaml, got "no-such-ref"\.\n$/);
  });
});
