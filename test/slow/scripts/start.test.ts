import { describe, expect, test } from "vitest";
import { freePort } from "../../support/free-port.js";
import { runNpm } from "../../support/run-npm.js";

/** Runs `npm start` without its build, which `npm run test:slow` has just made. */
const start = (args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  runNpm(["start", "--silent", "--", ...args], { BASE_URL: "", npm_config_ignore_scripts: "true", ...env });

describe("npm start", () => {
  test("shows results of all six operations, and several pages of lists", async () => {
    const { status, stdout, stderr } = await start();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    for (const words of [
      "A proxy validates all requests and responses against openapi.yaml.",
      "Profiles of parties",
      "Eilís & friends",
      "Spam statistics of fee3aa4f…3703 on vega-fake-0011, epoch 1",
      "Votes on 46f8bbbb…5718",
      "2024-02-09 16:54:55 UTC",
      "Balance changes of fee3aa4f…3703",
      "372,440,666,425,000,000,000,000",
      "Node signatures for 2714a8b0…556b",
      "64 bytes",
      "Passed. Gas wanted: 1.",
    ]) {
      expect(stdout).toContain(words);
    }
    // Profiles have one page. The third page of votes repeats one vote of the second one, which is left out.
    expect(stdout.match(/^│ 3 {4}│/gm)).toHaveLength(4 + 5 + 3);
  });

  test("compares what the client reads with the records of a node that has the defects of v0.74 nodes", async () => {
    const { stdout } = await start(["--rows", "1", "--pages", "1"]);
    const table = stdout.slice(stdout.indexOf("Records read of whole lists"));
    const rows = [...table.matchAll(/^│ ((?:votes|balance changes).*?) +│$/gm)].map(([, row = ""]) =>
      row.split(/ +│ +/),
    );
    expect(rows).toEqual([
      ["votes on a closed proposal", "5000", "200 of 200", "200 of 200", "1"],
      ["votes on a closed proposal", "100", "101 of 200", "101 of 200", "2"],
      ["votes on an open proposal", "20", "200 of 200", "200 of 200", "13"],
      ["balance changes", "1000", "12,222 of 20,000", "20,000 of 20,000", "20"],
      ["balance changes, by a scan", "5000", "–", "20,000 of 20,000", expect.stringMatching(/^\d$/)],
    ]);
    expect(stdout).toMatch(/199 repeated +│ then a PaginationError, "repeated-cursor" │/);
    expect(stdout).toMatch(/then an infinite loop +│/);
    expect(stdout).toMatch(/3 repeated +│/);
    expect(stdout).toContain("Of 2,846 blocks, 2,133 have several balance changes, one has 2,688.");
  });

  test("ends with one line if no node responds", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { status, stderr } = await start([], { BASE_URL: address });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^listPartiesProfiles received no response from http:.* connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/,
    );
  });

  test("ends with one line if an option is invalid", async () => {
    const { status, stderr } = await start(["--rows", "many"]);
    expect(status).toBe(1);
    expect(stderr).toBe("Expected `pagination.first` of listPartiesProfiles to be a positive integer, got NaN.\n");
  });
});
