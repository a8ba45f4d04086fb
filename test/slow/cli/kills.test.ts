import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finish, start, startFakeNode } from "./cli-process.js";

const run = promisify(execFile);
const kills = 50;

// A node with blocks of many changes and cursors that lose records.
let node: Awaited<ReturnType<typeof startFakeNode>>;
let folder: string;
beforeAll(async () => {
  node = await startFakeNode(["--balances", "12000", "--defects", "--no-rate-limit"]);
  folder = await mkdtemp(join(tmpdir(), "kills-"));
});
afterAll(async () => {
  node.end();
  await rm(folder, { recursive: true });
});

describe.each(["csv", "ndjson"])("an export as %s", (format) => {
  const argumentsFor = (file: string) => ["balances", "--output", file, "--page-size", "500", "--node", node.url];
  let whole: string;
  /** How long an export takes here, in milliseconds. */
  let duration: number;

  beforeAll(async () => {
    const file = join(folder, `whole.${format}`);
    const begun = performance.now();
    expect(await finish(start(argumentsFor(file)))).toMatchObject({ code: 0 });
    duration = performance.now() - begun;
    whole = await readFile(file, "utf8");
  });

  test(`that is killed with SIGKILL ${kills} times at random times is byte for byte an uninterrupted one`, async () => {
    let killed = 0;
    for (let number = 0; killed < kills; number++) {
      const file = join(folder, `killed-${number}.${format}`);
      for (;;) {
        const child = start([...argumentsFor(file), "--resume"]);
        const ended = finish(child);
        const delay = setTimeout(Math.random() * duration).then(() => child.kill("SIGKILL"));
        const { code, signal, stderr } = await ended;
        await delay;
        if (signal === "SIGKILL") {
          killed++;
          continue;
        }
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/12,000 records|is complete/) });
        break;
      }
      expect((await readFile(file, "utf8")) === whole).toBe(true);
    }
  }, 600_000);

  test("that is interrupted with SIGINT exits with 130 and continues to the same bytes", async () => {
    const file = join(folder, `interrupted.${format}`);
    const child = start([...argumentsFor(file), "--concurrency", "1"]);
    const ended = finish(child);
    // More than the header of a CSV file: an export without a record leaves nothing to continue.
    while ((await readFile(file, "utf8").catch(() => "")).split("\n").length < 3) await setTimeout(5);
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^Interrupted by SIGINT\.\nTo continue: vegaprotocol-client balances .*--resume\n$/);
    const resumed = start([...argumentsFor(file), "--concurrency", "1", "--resume"]);
    expect(await finish(resumed)).toMatchObject({ code: 0 });
    expect((await readFile(file, "utf8")) === whole).toBe(true);
  });

  test("that fills a disk exits with 1 and continues to the same bytes once there is space", async (context) => {
    const disk = await mkdtemp(join(folder, "disk-"));
    try {
      await run("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]);
    } catch {
      context.skip("This user cannot mount a file system.");
    }
    try {
      const file = join(disk, `full.${format}`);
      const { code, stderr } = await finish(start(argumentsFor(file)));
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: Cannot write \S+: ENOSPC: no space left on device, write\.\nTo continue: /);
      await run("mount", ["-o", "remount,size=64m", disk]);
      expect(await finish(start([...argumentsFor(file), "--resume"]))).toMatchObject({ code: 0 });
      expect((await readFile(file, "utf8")) === whole).toBe(true);
    } finally {
      await run("umount", [disk]);
    }
  });
});
