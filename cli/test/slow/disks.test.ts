import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { finish, main, start, startFakeNode } from "../support/cli-process.js";

const run = promisify(execFile);

let node: Awaited<ReturnType<typeof startFakeNode>>;
let folder: string;
beforeAll(async () => {
  node = await startFakeNode(["--port", "0", "--balances", "12000", "--defects", "--no-rate-limit"]);
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
    await run("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]);
  } catch {
    context.skip("This user cannot mount a file system.");
  }
  try {
    await use(disk);
  } finally {
    await run("umount", [disk]);
  }
}

async function textOf(file: string): Promise<string> {
  const bytes = await readFile(file);
  return (file.includes(".gz") ? gunzipSync(bytes) : bytes).toString();
}

describe.each(["csv", "ndjson", "csv.gz"])("an export as %s", (suffix) => {
  const argumentsFor = (file: string) => ["balances", "--output", file, "--page-size", "500", "--node", node.url];
  let whole: string;
  beforeAll(async () => {
    const file = join(folder, `whole.${suffix}`);
    expect(await finish(start(argumentsFor(file)))).toMatchObject({ code: 0 });
    whole = await textOf(file);
  });

  test("that is interrupted with SIGINT exits with 130, and the command that it prints reads the rest", async () => {
    const own = await mkdtemp(join(folder, "interrupted-"));
    const file = join(own, `x.${suffix}`);
    // Small pages take some seconds.
    const child = start([...argumentsFor(file), "--concurrency", "1", "--page-size", "20"]);
    const ended = finish(child);
    while ((await readdir(own)).length === 0) await setTimeout(5);
    await setTimeout(300);
    // `timeout` and npx send it a second time.
    child.kill("SIGINT");
    await setTimeout(5);
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    const [, partial = "", command = ""] =
      /^Interrupted by SIGINT\.\n(\S+) has the [\d,]+ records before 2024-\S+Z\.\nTo continue: vegaprotocol (.+)\n$/.exec(
        stderr,
      ) ?? [];
    expect(await readdir(own)).toEqual([partial.slice(own.length + 1)]);
    await run("bash", ["-c", `'${process.execPath}' '${main}' ${command}`]);
    const rest = await textOf(join(own, `x-rest.${suffix}`));
    const withoutHead = suffix.startsWith("csv") ? rest.slice(rest.indexOf("\n") + 1) : rest;
    expect((await textOf(partial)) + withoutHead === whole).toBe(true);
  });

  test.skipIf(suffix.endsWith("gz"))(
    "that fills a disk exits with 1, names the file that was entered, and leaves an earlier one as it was",
    (context) =>
      withDisk(context, async (disk) => {
        const file = join(disk, `full.${suffix}`);
        await writeFile(file, "earlier\n");
        const { code, stderr } = await finish(start([...argumentsFor(file), "--force"]));
        expect(code).toBe(1);
        expect(stderr).toBe(`Error: Cannot write ${file}: the disk is full.\n`);
        expect(await readdir(disk)).toEqual([`full.${suffix}`]);
        expect(await readFile(file, "utf8")).toBe("earlier\n");
        await run("mount", ["-o", "remount,size=64m", disk]);
        expect(await finish(start([...argumentsFor(file), "--force"]))).toMatchObject({ code: 0 });
        expect((await textOf(file)) === whole).toBe(true);
      }),
  );
});

describe.each([
  ["balances", "csv"],
  ["profiles", "json"],
])("%s in a folder that is read-only", (line, suffix) => {
  test("exits with 1, names the file and leaves it alone", (context) =>
    withDisk(context, async (disk) => {
      const file = join(disk, `x.${suffix}`);
      await writeFile(file, "earlier\n");
      await run("mount", ["-o", "remount,ro", disk]);
      const { code, stderr } = await finish(start([line, "--output", file, "--node", node.url, "--force"]));
      expect(code).toBe(1);
      expect(stderr).toBe(`Error: Cannot write ${file}: the file system is read-only.\n`);
      expect(await readdir(disk)).toEqual([`x.${suffix}`]);
      expect(await readFile(file, "utf8")).toBe("earlier\n");
    }));
});
