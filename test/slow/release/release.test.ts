import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { problemsOf, type Release, readRelease } from "../../../scripts/check/release.js";
import { folderOfFile } from "../../support/folder.js";
import { firstOutput, run } from "../../support/run.js";
import { isNightly } from "../../support/runs.js";
import { command, type Registry, startRegistry } from "./registry.js";

// What a new user does: an empty folder, an installation from a registry, and the pages as they are printed.
const root = fileURLToPath(new URL("../../../", import.meta.url));
let registry: Registry;
const path = await folderOfFile();

const runThere = (file: string, args: string[], cwd: string) => run(file, args, { cwd, env: registry.environment });

/** The blocks of code of a page after a text. */
async function blocksAfter(page: string, text: string): Promise<string[]> {
  const content = await readFile(join(root, page), "utf8");
  const [, after] = content.split(text);
  if (after === undefined) throw new Error(`${page} does not have "${text}".`);
  return [...after.matchAll(/```\w+[^\n]*\n(.*?)```/gs)].map(([, code = ""]) => code);
}

async function startFakeNode(program: string, cwd: string) {
  const child = spawn(program, ["fake-node", "--port", "0", "--balances", "500"], {
    cwd,
    env: registry.environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return { url: await firstOutput(child), end: () => child.kill() };
}

beforeAll(async () => {
  registry = await startRegistry();
}, 300_000);
afterAll(() => registry?.close());

const managers = {
  npm: { file: "npm", add: "install" },
  ...(isNightly && { pnpm: { file: command("pnpm"), add: "add" }, yarn: { file: command("yarn"), add: "add" } }),
};

describe.each(Object.entries(managers))("a project of %s", (name, { file, add }) => {
  let project: string;
  beforeAll(async () => {
    project = path(name);
    await mkdir(project);
    await runThere("npm", ["init", "-y"], project);
    await runThere(file, [add, manifest.name, "vegaprotocol-cli"], project);
  });

  test("runs the first program of the guide, with the output that the page shows", async () => {
    const [program = "", expected] = await blocksAfter("docs/getting-started.md", "Save this program as `main.mjs`");
    await writeFile(join(project, "main.mjs"), program);
    expect((await runThere("node", ["main.mjs"], project)).stdout).toBe(expected);
  });

  test("runs the quick start of the README", async () => {
    const [program = ""] = await blocksAfter("README.md", "Save it as `quick-start.mjs`");
    await writeFile(join(project, "quick-start.mjs"), program);
    expect((await runThere("node", ["quick-start.mjs"], project)).stdout.trim().split("\n").length).toBeGreaterThan(10);
  });

  test("has the command line, which exports from the fake node", async () => {
    const program = join(project, "node_modules/.bin/vegaprotocol");
    expect((await runThere(program, ["--version"], project)).stdout).toBe(`${manifest.version}\n`);
    const node = await startFakeNode(program, project);
    try {
      await runThere(program, ["balances", "--output", "balances.csv", "--node", node.url], project);
      const lines = (await readFile(join(project, "balances.csv"), "utf8")).trimEnd().split("\n");
      expect(lines).toHaveLength(501);
      // In a folder that has not installed the package.
      const empty = path(`empty-${name}`);
      await mkdir(empty);
      const words = ["--yes", "vegaprotocol-cli", "balances", "--node", node.url];
      expect((await runThere("npx", words, empty)).stdout.trimEnd().split("\n")).toHaveLength(500);
    } finally {
      node.end();
    }
  });
});

test("npm run check -- release reports what the versions, the changelog and the working tree lack", () => {
  const release = readRelease();
  const { client, commandLine } = release;
  // The maintainer sets the address and the date, and a test runs before a commit, too.
  const complete = {
    ...release,
    client: { ...client, repository: "github:example/vegaprotocol-client" },
    changelog: `## ${client.version} (2026-11-23)\n`,
    uncommitted: "",
  };
  expect(problemsOf(complete)).toEqual([]);
  const changes: [change: Partial<Release>, problem: RegExp][] = [
    [{ changelog: `## ${client.version} (unreleased)\n` }, /got unreleased/],
    [{ commandLine: { ...commandLine, version: "0.0.1" } }, /json has version 0/],
    [{ uncommitted: " M README.md" }, /not committed:\n M README\.md/],
  ];
  for (const [change, problem] of changes)
    expect(problemsOf({ ...complete, ...change })).toEqual([expect.stringMatching(problem)]);
});
