import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { run } from "../../support/run.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Runs `npm start` without its build, which `npm run test:slow` has just made. */
const start = (...args: string[]): Promise<{ code?: number; stdout: string; stderr: string }> =>
  run("npm", ["start", "--silent", "--", ...args], {
    cwd: root,
    env: { ...process.env, npm_config_ignore_scripts: "true", NO_COLOR: "1" },
  }).catch((error) => error);

test("npm start shows all operations, and compares the client with a loop on a node with the defects of v0.74 nodes", async () => {
  const output = await start();
  // npm warns of its own settings.
  expect(output).toEqual({ stdout: expect.any(String), stderr: expect.not.stringMatching(/^(?!npm warn)./m) });
  for (const words of [
    "$ vegaprotocol profiles --limit 5",
    "Eilís & friends",
    "$ vegaprotocol votes --proposal ",
    "$ vegaprotocol balances --from 2024-02-09T16:54:00Z",
    "$ vegaprotocol statement --party ",
    "$ vegaprotocol signatures --id ",
    '"chainId":"vega-fake-0011"',
    '"success":true,"code":0',
  ]) {
    expect(output.stdout).toContain(words);
  }
  const [title = "", table = ""] = output.stdout.split(/\n(?=┌)|\n\n/);
  expect(title).toContain("Records read from an in-memory node");
  const rows = [...table.matchAll(/^│ ((?:votes|balance changes).*?) +│$/gm)].map(([, row = ""]) => row.split(/ +│ +/));
  expect(rows).toEqual([
    ["votes on a closed proposal", "5000", "200 of 200", "200 of 200", "1"],
    ["votes on a closed proposal", "100", "101 of 200", "200 of 200", "2"],
    ["votes on an open proposal", "20", "200 of 200", "200 of 200", "11"],
    ["balance changes", "1000", expect.stringMatching(/^1\d,\d{3} of 20,000$/), "20,000 of 20,000", "21"],
    ["balance changes, by a scan", "5000", "–", "20,000 of 20,000", expect.stringMatching(/^\d$/)],
  ]);
  expect(table).toMatch(/│ 199 repeated +│/);
  expect(table).toMatch(/then an infinite loop +│/);
});

test("npm start runs a command with its arguments, and ends with its exit code", async () => {
  expect((await start("balances", "--limit", "2", "--format", "csv")).stdout.split("\r\n")).toHaveLength(4);
  const { code, stderr } = await start("profiles", "--node", "http://127.0.0.1:9", "--retries", "0");
  expect([code, stderr]).toEqual([1, expect.stringContaining("no response from http://127.0.0.1:9/")]);
});
