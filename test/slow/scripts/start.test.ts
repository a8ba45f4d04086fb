import { describe, expect, test } from "vitest";
import { freePort } from "../../support/free-port.js";
import { runNpm } from "../../support/npm.js";

/** Runs `npm start` without its build, which `npm run test:slow` has just made. */
const start = (args: string[] = []) =>
  runNpm(["start", "--silent", "--", ...args], { npm_config_ignore_scripts: "true", NO_COLOR: "1" });

describe("npm start", () => {
  test("shows a command and its output for each of the six operations", async () => {
    const { status, stdout, stderr } = await start();
    expect(stderr).toBe("");
    expect(status).toBe(0);
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

  test("shows a statement that adds up", async () => {
    const { stdout } = await start();
    const [, table = ""] = /\$ vegaprotocol statement .*\n(timestamp.*\n(?:\d.*\n)+)/.exec(stdout) ?? [];
    const amountOf = (text = "0") => BigInt(Math.round(Number(text) * 1e6));
    const rows = table.split("\n").map((line) => line.split(/ +/));
    const sum = (entry: string) =>
      rows.filter((row) => row[1] === entry).reduce((total, row) => total + amountOf(row[2]), 0n);
    expect(rows.filter((row) => row[1] === "change").length).toBeGreaterThan(1);
    expect(sum("opening") + sum("change")).toBe(sum("closing"));
  });

  test("compares what the client reads with the records of a node that has the defects of v0.74 nodes", async () => {
    const { stdout } = await start();
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

  test("runs a command with its arguments and exit code", async () => {
    const { status, stdout } = await start(["balances", "--limit", "2", "--format", "csv"]);
    expect(status).toBe(0);
    expect(stdout.split("\r\n")).toHaveLength(4);
    expect(await start(["balnces"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Did you mean balances?"),
    });
  });

  test("sends requests to the node of --node, and ends with one line if no node responds", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { status, stderr } = await start(["profiles", "--node", address, "--retries", "0"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Error: listPartiesProfiles received no response from http:.* ECONNREFUSED 127\.0\.0\.1:\d+\n$/,
    );
  });
});
