import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { nodeBinary, run } from "./consumer.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const [current] = process.versions.node.split(".");
let folder: string;

beforeAll(async () => {
  npmCi(fileURLToPath(new URL(".", import.meta.url)));
  folder = await mkdtemp(join(tmpdir(), "versions-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The environment of a run of its own: neither that of the run which started it, nor with reports that CI counts. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|CI$|NODE_OPTIONS$)/.test(name));
  // Random cases are tried by `npm test`; here they are not what differs.
  return { ...Object.fromEntries(own), TEST_RUNS: "0.1" };
}

// The oldest and the newest: what changed between two versions is seen in the newest, and the matrix of the workflow has all.
test.each(["20", "26"].filter((version) => version !== current))(
  "Node.js %s runs the tests that depend on the runtime",
  async (version) => {
    const outputFile = join(folder, `${version}.json`);
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const report = ["--reporter=json", `--outputFile=${outputFile}`];
    // What depends on the runtime: fetch, streams, signals and servers. The matrix of the workflow runs the others.
    const units = ["async", "client", "errors", "http", "testing", "values"].map((name) => `test/unit/${name}/`);
    const others = ["cli/**", "test/integration/{coverage,newer-nodes,pages,recipes,samples,walks,worlds}.test.ts"];
    const excludes = others.flatMap((files) => ["--exclude", files]);
    const args = ["run", ...units, "test/integration/", ...excludes, "--typecheck.enabled=false", ...report];
    const { code } = await run(nodeBinary(version), [vitest, ...args], { cwd: root, env: ownEnvironment() }).then(
      () => ({ code: 0 }),
      (error: { code: number }) => error,
    );
    const { numPassedTests, testResults } = JSON.parse(await readFile(outputFile, "utf8")) as {
      numPassedTests: number;
      testResults: { assertionResults: { fullName: string; status: string }[] }[];
    };
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)).toEqual([]);
    expect(code).toBe(0);
    expect(numPassedTests).toBeGreaterThan(600);
  },
  300_000,
);
