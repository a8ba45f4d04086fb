import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../../test/support/run.js";
import { main, startFakeNode } from "../support/cli-process.js";

let node: Awaited<ReturnType<typeof startFakeNode>>;
let program: string;
beforeAll(async () => {
  node = await startFakeNode(["--port", "0", "--balances", "20000", "--no-rate-limit"]);
  program = `'${process.execPath}' '${main}'`;
});
afterAll(() => node.end());

const shell = (script: string) => run("bash", ["-c", script], { env: { ...process.env, VEGA_NODE: node.url } });

describe("in a pipe", () => {
  test("the program ends quietly with 0 when head has read its line", async () => {
    const { stdout, stderr } = await shell(`${program} balances | head -1; echo "\${PIPESTATUS[0]}"`);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^\{"timestamp":"2024-[^\n]*\}\n0\n$/);
  });

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
    const folder = await mkdtemp(join(tmpdir(), "pipes-"));
    await writeFile(join(folder, "transaction.json"), "{}");
    const env = { ...process.env, VEGA_NODE: node.url };
    const pipe = await run("bash", ["-c", `${program} ${line} | true; echo "\${PIPESTATUS[0]}"`], { cwd: folder, env });
    expect(pipe).toEqual({ stdout: "0\n", stderr: "" });
    const full = await run("bash", ["-c", `${program} ${line} > /dev/full; echo $? >&2`], { cwd: folder, env });
    expect(full).toEqual({
      stdout: "",
      stderr: expect.stringMatching(/^Error: Cannot write stdout: the disk is full\.\n1\n$/),
    });
    await rm(folder, { recursive: true });
  });

  test("a fake node reports a full device, and ends", async () => {
    const { stdout, stderr } = await run("bash", ["-c", `${program} fake-node --port 0 2>&1 > /dev/full; echo $?`]);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^Error: Cannot write stdout: the disk is full\.\n1\n$/),
      stderr: "",
    });
  });

  test("SIGINT ends a check that reads stdin with 130", async () => {
    const { stdout } = await run(
      "bash",
      ["-c", `${program} check < <(exec sleep 20 2> /dev/null) & sleep 1; kill -INT $!; wait $!; echo $?`],
      {
        env: { ...process.env, VEGA_NODE: node.url },
      },
    );
    expect(stdout).toBe("130\n");
  });
});
