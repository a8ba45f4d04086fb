import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = new URL("../../../", import.meta.url);

test("the workflow of the repository runs every folder of slow tests", () => {
  const { jobs } = parse(readFileSync(new URL(".github/workflows/ci.yml", root), "utf8"));
  expect(jobs.slow.strategy.matrix.suite).toEqual(readdirSync(new URL("test/slow/", root)).sort());
});
