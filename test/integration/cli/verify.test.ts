import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BalanceChange } from "../../../src/index.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { runCli } from "../../support/run-cli.js";

const { fetch, records, block } = createFakeNode({ balances: 400 }, { defects: nodeDefects, rateLimit: false });
const nodeWith = (balances: readonly BalanceChange[], history?: bigint) =>
  createFakeNode({ balances, block, history }, { rateLimit: false }).fetch;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verify-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  "csv",
  "ndjson --order newest-first",
  "csv --raw --decimals 18",
  "ndjson --account-type general",
  "csv --limit 100",
])("verify of an export as %s", (variant) => {
  const [format, ...flags] = variant.split(" ");
  let file: string;
  let lines: string[];
  beforeAll(async () => {
    file = join(folder, `${variant.replaceAll(" ", "")}.${format}`);
    expect(await runCli(["balances", ...flags, "-o", file], { fetch })).toMatchObject({ code: 0 });
    lines = (await readFile(file, "utf8")).split(/(?<=\n)/);
  });

  test("exits with 0 and prints the digest if another node has the same records", async () => {
    const { code, stdout } = await runCli(["verify", file], { fetch: nodeWith(records.balances) });
    const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${file} equals https://node.example: ${manifest.records} records, SHA-256 ${manifest.sha256}.\n`,
    });
  });

  test("names the line of a record that is missing in the file, added, changed or damaged", async () => {
    const verify = async (changed: readonly string[]) => {
      const copy = `${file}.changed`;
      await writeFile(copy, changed.join(""));
      await writeFile(`${copy}.manifest.json`, await readFile(`${file}.manifest.json`));
      const { code, stdout, stderr } = await runCli(["verify", copy], { fetch });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      return stderr;
    };
    const at = 60;
    const replaceLine = (replace: (line: string) => string) =>
      lines.map((line, index) => (index === at ? replace(line) : line));
    const replaced = replaceLine((line) => line.replace(/ACCOUNT_TYPE_[A-Z_]+/, "ACCOUNT_TYPE_ZZZ"));
    expect(await verify(replaceLine(() => ""))).toMatch(
      new RegExp(`^Line ${at + 1}: before it, the file lacks the record of 2024-\\S+, partyId`),
    );
    expect(await verify(replaced)).toMatch(new RegExp(`^Line ${at + 1}`));
    const balance = /(?<=["Z\d][,:]"?)\d+(\.\d+)?(?=[",])/;
    const changed = replaceLine((line) => line.replace(balance, "7"));
    expect(await verify(changed)).toMatch(
      new RegExp(`^Line ${at + 1}, of 2024-\\S+Z, .*: balance is 70* in the file and \\d+ on https://node.example\\.`),
    );
    expect(await verify(replaceLine((line) => `garbage${line}`))).toBe(
      `Line ${at + 1} of the file is not a record of this export.\n`,
    );
    expect(await verify(lines.slice(0, -1))).toMatch(
      /^https:\/\/node\.example has a record that the file lacks at its end: /,
    );
    expect(await verify([...lines, lines.at(-1) ?? ""])).toMatch(
      new RegExp(`^Line ${lines.length + 1}: https://node.example does not have the record`),
    );
  });
});

test("verify names a record that another node lacks", async () => {
  const file = join(folder, "lacking.csv");
  await runCli(["balances", "-o", file], { fetch });
  const missing = records.balances[77];
  const other = nodeWith(records.balances.filter((record) => record !== missing));
  const { code, stderr } = await runCli(["verify", file], { fetch: other });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Line \d+: https:\/\/node\.example does not have the record of 2024-/);
  expect(stderr).toContain(missing?.partyId ?? "");
});

test("verify exits with 3 and the first time that can be compared if the other node keeps a shorter history", async () => {
  const file = join(folder, "shorter.csv");
  await runCli(["balances", "-o", file], { fetch });
  const history = BigInt(records.balances[100]?.timestamp ?? 0);
  const { code, stderr } = await runCli(["verify", file], { fetch: nodeWith(records.balances, history) });
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /The balance changes of the node begin at 2024-\S+Z, .* Only records from then on can be compared/,
  );
});

test("verify detects a manifest whose digest was changed", async () => {
  const file = join(folder, "manifest.csv");
  await runCli(["balances", "-o", file], { fetch });
  const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
  await writeFile(`${file}.manifest.json`, JSON.stringify({ ...manifest, sha256: "0".repeat(64) }));
  const { code, stderr } = await runCli(["verify", file], { fetch });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The file equals the node, but not the digest in ${file}.manifest.json: the manifest was changed.\n`,
  });
});

test("verify refuses the manifest of another list, and a file that is no manifest", async () => {
  const file = join(folder, "other.csv");
  for (const [content, message] of [
    ['{"operation":"listVotes"}', "Expected an export of balances, got one of listVotes"],
    ['{"operation":"scanBalanceChanges"}', "to be the manifest of an export as csv or ndjson"],
  ]) {
    await writeFile(`${file}.manifest.json`, content ?? "");
    const { code, stderr } = await runCli(["verify", file], { fetch });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  }
});
