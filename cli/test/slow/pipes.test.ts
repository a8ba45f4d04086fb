import { writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../../../test/support/run.js";
import { main, startFakeNode } from "../support/cli-process.js";
import { useFolder } from "../support/run-cli.js";

const path = useFolder();
const node = await startFakeNode(["--port", "0", "--balances", "20000", "--no-rate-limit"]);
afterAll(() => node.end());

const program = `'${process.execPath}' '${main}'`;
const shell = (script: string) =>
  run("bash", ["-c", script], { cwd: path("."), env: { ...process.env, VEGA_NODE: node.url } });

describe("in a pipe", () => {
  const lines = [
    "help",
    "version",
    "profiles",
    "balances --format json",
    "spam --party network",
    "check transaction.json",
    "follow balances --from start",
  ];

  test.each(lines)("%s reports a closed pipe and a full device without a stack trace", async (line) => {
    await writeFile(path("transaction.json"), "{}");
    const pipe = await shell(`${program} ${line} | true; echo "\${PIPESTATUS[0]}"`);
    // A verdict stays one.
    const isCheck = line.startsWith("check");
    expect(pipe).toEqual({ stdout: isCheck ? "4\n" : "0\n", stderr: isCheck ? expect.stringMatching(/^The tr/) : "" });
    const stderr = "Error: Cannot write stdout: the disk is full.\n1\n";
    expect(await shell(`${program} ${line} > /dev/full; echo $? >&2`)).toEqual({ stdout: "", stderr });
  });

  test.each(["fake-node", "serve", "explore"])("%s reports a full device, and ends", async (name) => {
    const stdout = "Error: Cannot write stdout: the disk is full.\n1\n";
    expect(await shell(`${program} ${name} --port 0 2>&1 > /dev/full; echo $?`)).toEqual({ stdout, stderr: "" });
  });

  const printing = ["balances", "balances --format json", "follow balances --from start"];
  test.each(printing)("SIGINT ends %s with 130 if no program reads its output", { timeout: 30_000 }, async (line) => {
    const script = `${program} ${line} > >(exec sleep 20 &> /dev/null) & sleep 2; kill -INT $!; wait $!; echo $? >&2`;
    const started = performance.now();
    expect((await shell(script)).stderr).toMatch(/Interrupted by SIGINT\.\n(?:To continue.*\n)?130\n$/);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("a second SIGTERM ends an export to a named pipe that no program reads", async () => {
    const script = `mkfifo pipe.csv; ${program} balances -o pipe.csv & sleep 1; kill $!; sleep 2; kill $!; wait $!; echo $?`;
    expect((await shell(script)).stdout).toBe("143\n");
  });

  test("an export to a named pipe whose reader ends says so, and exits with 1", async () => {
    const script = `mkfifo pipe.csv; head -c 1 pipe.csv > /dev/null & ${program} balances -o pipe.csv; echo $?`;
    const stderr = "Error: Cannot write pipe.csv: the program that reads it has ended.\n";
    expect(await shell(script)).toEqual({ stdout: "1\n", stderr });
  });

  test("SIGINT ends a check that reads stdin with 130", async () => {
    const script = `${program} check < <(exec sleep 20 2> /dev/null) & sleep 1; kill -INT $!; wait $!; echo $?`;
    expect((await shell(script)).stdout).toBe("130\n");
  });
});
