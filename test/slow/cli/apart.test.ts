import { execFile, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { installNode, main, node as node24 } from "../sync/sqlite-node.js";
import { finish, start, startFakeNode } from "./cli-process.js";

const run = promisify(execFile);
let folder: string;
let node: Awaited<ReturnType<typeof startFakeNode>>;
beforeAll(async () => {
  installNode();
  folder = await mkdtemp(join(tmpdir(), "apart-"));
  node = await startFakeNode(["--balances", "20000", "--no-rate-limit"]);
});
afterAll(async () => {
  node.end();
  await rm(folder, { recursive: true });
});

const shell = (script: string) =>
  run("bash", ["-c", script], { cwd: folder, env: { ...process.env, VEGAPROTOCOL_NODE: node.url } });
const textOf = (file: string) => readFile(join(folder, file), "utf8");
const program = `'${node24}' '${main}'`;

// Node.js 24 runs these commands in a thread of their own, earlier versions do not.
describe("a command that reads many records, on Node.js 24,", () => {
  beforeEach(() => shell(`${program} balances --output x.csv --force --quiet`));

  test("writes what Node.js 20 writes", async () => {
    const file = join(folder, "20.csv");
    const ended = await finish(start(["balances", "--output", file, "--quiet", "--node", node.url]));
    expect(ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await textOf("20.csv")).toBe(await textOf("x.csv"));
  });

  test("exits with 130 if it is interrupted, and continues to the same file", async () => {
    const args = ["balances", "--output", "y.csv", "--page-size", "500", "--concurrency", "1", "--node", node.url];
    const child = spawn(node24, [main, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const ended = finish(child);
    const size = () => statSync(join(folder, "y.csv.partial"), { throwIfNoEntry: false })?.size ?? 0;
    while (size() < 100_000 && child.exitCode === null) await sleep(5);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/^Interrupted by SIGINT\.\nTo continue: [^\n]* --resume\n$/),
    });
    await run(node24, [main, ...args, "--resume"], { cwd: folder });
    expect(await textOf("y.csv")).toBe(await textOf("x.csv"));
  });

  test("reports a closed pipe and a full device without a stack trace", async () => {
    const pipe = await shell(`${program} verify x.csv | true; echo "\${PIPESTATUS[0]}"`);
    expect(pipe).toEqual({ stdout: "0\n", stderr: "" });
    const full = await shell(`${program} verify x.csv > /dev/full; echo $? >&2`);
    expect(full).toEqual({ stdout: "", stderr: expect.stringMatching(/^Error: ENOSPC: [^\n]*\n1\n$/) });
    const errors = await shell(`${program} balances --output z.csv 2>&1 > /dev/null | true; echo "\${PIPESTATUS[0]}"`);
    expect(errors).toEqual({ stdout: "0\n", stderr: "" });
  });

  test("prints what is wrong with its arguments, and exits with 2", async () => {
    const { stderr } = await shell(`${program} balances --output x.csv; echo $? >&2`);
    expect(stderr).toBe("Error: x.csv exists. Use --resume to continue it, or --force to begin again.\n2\n");
  });
});
