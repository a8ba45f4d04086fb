import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { freePort } from "../ports.js";

/** Runs `npm start` as a person does, but for the build, which `npm test` has just made. */
async function start(args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = spawn("npm", ["start", "--silent", "--", ...args], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, BASE_URL: "", npm_config_ignore_scripts: "true", ...env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (output.stdout += text));
  child.stderr.on("data", (text) => (output.stderr += text));
  const status = await new Promise((resolve) => child.on("close", resolve));
  // npm has warnings of its own about the settings of the machine that it runs on.
  return { status, stdout: output.stdout, stderr: output.stderr.replace(/^npm warn .*\n/gim, "") };
}

describe("npm start", () => {
  test("shows results of all six operations, several pages of each list, and what defects do", async () => {
    const { status, stdout, stderr } = await start();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    for (const words of [
      "behind a proxy that checks both sides by openapi.yaml",
      "Profiles of parties",
      "Eilís & friends",
      "Spam statistics of fee3aa4f…3703 on vega-fake-0011, epoch 1",
      "Votes on 46f8bbbb…5718",
      "2024-02-09 16:54:55 UTC",
      "Balance changes of fee3aa4f…3703",
      "372,440,666,425,000,000,000,000",
      "Node signatures for 2714a8b0…556b",
      "64 bytes",
      "Passed; it would fill 1 of a block.",
      "A walk by cursors finds 386 of 400 balance changes, a scan finds 400.",
    ]) {
      expect(stdout).toContain(words);
    }
    expect(stdout.match(/^│ 3 {4}│/gm)?.length).toBe(3 + 5 + 5 + 3);
  });

  test("ends with one line where no node answers", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { status, stderr } = await start([], { BASE_URL: address });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^listPartiesProfiles received no response from http:.* connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/,
    );
  });

  test("ends with one line where an option is wrong", async () => {
    const { status, stderr } = await start(["--rows", "many"]);
    expect(status).toBe(1);
    expect(stderr).toBe("Expected `pagination.first` of listPartiesProfiles to be a positive integer, got NaN.\n");
  });
});
