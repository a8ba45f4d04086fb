import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { finish, start, startFakeNode } from "../support/cli-process.js";

const run = promisify(execFile);

let node: Awaited<ReturnType<typeof startFakeNode>>;
let folder: string;
beforeAll(async () => {
  node = await startFakeNode(["--balances", "12000", "--defects", "--no-rate-limit"]);
  folder = await mkdtemp(join(tmpdir(), "disks-"));
});
afterAll(async () => {
  node.end();
  await rm(folder, { recursive: true });
});

/** Mounts a small disk for a test. */
async function withDisk(context: TestContext, use: (disk: string) => Promise<void>): Promise<void> {
  const disk = await mkdtemp(join(folder, "disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]);
  } catch {
    context.skip("This user cannot mount a file system.");
  }
  try {
    await use(disk);
  } finally {
    await run("umount", [disk]);
  }
}

describe.each(["csv", "ndjson", "csv.gz"])("an export as %s", (suffix) => {
  const argumentsFor = (file: string) => ["balances", "--output", file, "--page-size", "500", "--node", node.url];
  let whole: Buffer;
  beforeAll(async () => {
    const file = join(folder, `whole.${suffix}`);
    expect(await finish(start(argumentsFor(file)))).toMatchObject({ code: 0 });
    whole = await readFile(file);
  });

  test("that is interrupted with SIGINT exits with 130 and continues to the same content", async () => {
    const file = join(folder, `interrupted.${suffix}`);
    // Small pages take some seconds.
    const child = start([...argumentsFor(file), "--concurrency", "1", "--page-size", "20"]);
    const ended = finish(child);
    // More than the header of a CSV file: an export without a record leaves nothing to continue.
    while (!(await readdir(folder)).includes(`interrupted.${suffix}.partial`)) await setTimeout(5);
    await setTimeout(300);
    // `timeout` and npx send it a second time.
    child.kill("SIGINT");
    await setTimeout(5);
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^Interrupted by SIGINT\.\nTo continue: vegaprotocol-client balances .*--resume\n$/);
    const resumed = start([...argumentsFor(file), "--concurrency", "1", "--resume"]);
    expect(await finish(resumed)).toMatchObject({ code: 0 });
    expect(await finish(start(["verify", file, "--node", node.url]))).toMatchObject({ code: 0 });
    if (!suffix.endsWith("gz")) expect((await readFile(file)).equals(whole)).toBe(true);
  });

  test.skipIf(suffix.endsWith("gz"))(
    "that fills a disk exits with 1 and continues to the same content once there is space",
    (context) =>
      withDisk(context, async (disk) => {
        const file = join(disk, `full.${suffix}`);
        const { code, stderr } = await finish(start(argumentsFor(file)));
        expect(code).toBe(1);
        expect(stderr).toMatch(/^Error: .*ENOSPC: no space left on device, write\.?\nTo continue: /);
        await run("mount", ["-o", "remount,size=64m", disk]);
        expect(await finish(start([...argumentsFor(file), "--resume"]))).toMatchObject({ code: 0 });
        expect((await readFile(file)).equals(whole)).toBe(true);
      }),
  );
});

describe.each([
  ["balances", "csv"],
  ["profiles", "json"],
  ["follow balances --from start", "ndjson"],
])("%s in a folder that is read-only", (line, suffix) => {
  test("exits with 1, names the file and leaves it alone", (context) =>
    withDisk(context, async (disk) => {
      const file = join(disk, `x.${suffix}`);
      const argv = [...line.split(" "), "--output", file, "--node", node.url];
      await run("bash", ["-c", `echo earlier > '${file}'`]);
      await run("mount", ["-o", "remount,ro", disk]);
      const { code, stderr } = await finish(start([...argv, "--force"]));
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: EROFS: read-only file system, open '.*x\.\w+\.lock/);
      expect(await readdir(disk)).toEqual([`x.${suffix}`]);
      expect(await readFile(file, "utf8")).toBe("earlier\n");
    }));
});
