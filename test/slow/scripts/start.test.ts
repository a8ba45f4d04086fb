import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../support/free-port.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Runs `npm start` without its build, which `npm run test:slow` has just made. */
const start = (...args: string[]): Promise<{ code?: number; stdout: string; stderr: string }> =>
  promisify(execFile)("npm", ["start", "--silent", "--", ...args], {
    cwd: root,
    env: { ...process.env, npm_config_ignore_scripts: "true", NO_COLOR: "1" },
  }).catch((error) => error);

describe("npm start", () => {
  let stdout: string;
  beforeAll(async () => {
    const output = await start();
    // npm warns of its own settings.
    expect(output).toEqual({ stdout: expect.any(String), stderr: expect.not.stringMatching(/^(?!npm warn)./m) });
    stdout = output.stdout;
  });

  test("shows a command and its output for each of the six operations", () => {
    for (const words of [
      "$ vegaprotocol profiles --limit 5",
      "Eilís & friends",
      "$ vegaprotocol votes --proposal ",
      "2024-02-09T16:54:",
      "$ vegaprotocol balances --from 2024-02-09T16:54:00Z",
      "ACCOUNT_TYPE_MARGIN",
      "$ vegaprotocol statement --party ",
      "$ vegaprotocol signatures --id ",
      '"chainId":"vega-fake-0011"',
      '"success":true,"code":0',
    ]) {
      expect(stdout).toContain(words);
    }
  });

  test("shows a statement that adds up", () => {
    const [, table = ""] = /\$ vegaprotocol statement .*\n(timestamp.*\n(?:\d.*\n)+)/.exec(stdout) ?? [];
    const rows = table.split("\n").map((line) => line.split(/ +/));
    const sum = (entry: string) =>
      rows
        .filter((row) => row[1] === entry)
        .reduce((total, row) => total + BigInt(Math.round(Number(row[2]) * 1e6)), 0n);
    expect(rows.filter((row) => row[1] === "change").length).toBeGreaterThan(1);
    expect(sum("opening") + sum("change")).toBe(sum("closing"));
  });

  test("compares what the client reads with the records of a node that has the defects of v0.74 nodes", () => {
    const [title = "", table = ""] = stdout.split(/\n(?=┌)|\n\n/);
    expect(title).toContain("Records read of an in-memory node");
    const rows = [...table.matchAll(/^│ ((?:votes|balance changes).*?) +│$/gm)].map(([, row = ""]) =>
      row.split(/ +│ +/),
    );
    expect(rows).toEqual([
      ["votes on a closed proposal", "5000", "200 of 200", "200 of 200", "1"],
      ["votes on a closed proposal", "100", "101 of 200", "200 of 200", "2"],
      ["votes on an open proposal", "20", "200 of 200", "200 of 200", "10"],
      ["balance changes", "1000", expect.stringMatching(/^1\d,\d{3} of 20,000$/), "20,000 of 20,000", "20"],
      ["balance changes, by a scan", "5000", "–", "20,000 of 20,000", expect.stringMatching(/^\d$/)],
    ]);
    expect(stdout).toMatch(/│ 199 repeated +│/);
    expect(Math.max(...[title, ...table.split("\n")].map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).toMatch(/then an infinite loop +│/);
  });

  test("runs a command with its arguments, at the node of --node, and ends with its exit code", async () => {
    expect((await start("balances", "--limit", "2", "--format", "csv")).stdout.split("\r\n")).toHaveLength(4);
    const address = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await start("profiles", "--node", address, "--retries", "0");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: listPartiesProfiles received no response from http:.* ECONNREFUSED [\d.:]+\n$/m);
  });
});
