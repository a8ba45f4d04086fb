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
  test("shows results of all six operations against the mock", async () => {
    const { status, stdout, stderr } = await start();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    for (const words of [
      "Profiles of parties",
      "Ana <market maker> & friends",
      "Spam statistics of 3839f8c8…f0d1 on vega-example-0011, epoch 1234",
      "Votes on 22e971ef…253f",
      "2024-02-09 16:54:55 UTC",
      "Balance changes of 3839f8c8…f0d1",
      "123,456,789,012,345,678,901,234,567,890",
      "Node signatures for 91194fdc…fb77",
      "65 bytes",
      "Passed; it would fill 20,000 of a block.",
    ]) {
      expect(stdout).toContain(words);
    }
  });

  test("ends with one line where no node answers", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { status, stderr } = await start([], { BASE_URL: address });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^listPartiesProfiles got no answer from http:.* connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/);
  });

  test("ends with one line where an option is wrong", async () => {
    const { status, stderr } = await start(["--rows", "many"]);
    expect(status).toBe(1);
    expect(stderr).toBe("Expected `pagination.first` of listPartiesProfiles to be a positive integer, got NaN.\n");
  });
});
