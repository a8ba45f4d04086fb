import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, type TestContext, test } from "vitest";
import { run } from "../../../test/support/run.js";
import { finish, main, start, startFakeNode } from "../support/cli-process.js";
import { useFolder } from "../support/run-cli.js";

const path = useFolder();
const node = await startFakeNode(["--port", "0", "--balances", "12000", "--defects", "--no-rate-limit"]);
afterAll(() => node.end());

/** Mounts a small disk for a test. */
async function withDisk(context: TestContext, use: (disk: string) => Promise<void>): Promise<void> {
  const disk = path("disk");
  await mkdir(disk);
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

const argumentsFor = (file: string) => ["balances", "--force", "--output", file, "--node", node.url];

test.for(["csv", "json"])("an export as %s to a full disk exits with 1, and keeps an earlier file", (suffix, context) =>
  withDisk(context, async (disk) => {
    const file = join(disk, `x.${suffix}`);
    await writeFile(file, "earlier\n");
    const failed = { code: 1, stderr: `Error: Cannot write ${file}: the disk is full.\n` };
    expect(await finish(start(argumentsFor(file)))).toMatchObject(failed);
    expect(await readdir(disk)).toEqual([`x.${suffix}`]);
    expect(await readFile(file, "utf8")).toBe("earlier\n");
    await run("mount", ["-o", "remount,ro", disk]);
    const isReadOnly = { code: 1, stderr: `Error: Cannot write ${file}: the file system is read-only.\n` };
    expect(await finish(start(argumentsFor(file)))).toMatchObject(isReadOnly);
    expect(await readFile(file, "utf8")).toBe("earlier\n");
    await run("mount", ["-o", "remount,rw,size=64m", disk]);
    expect(await finish(start(argumentsFor(file)))).toMatchObject({ code: 0 });
    expect((await readFile(file, "utf8")).split("\n").length).toBeGreaterThan(12_000);
  }),
);

test("an export to a file that becomes too large exits with 1, and leaves no part of it", async () => {
  const shown = ["balances", "-o", "x.csv", "--node", node.url].map((each) => `'${each}'`).join(" ");
  const script = `ulimit -f 100; '${process.execPath}' '${main}' ${shown}; echo $?`;
  const stderr = "Error: Cannot write x.csv: the file system, or `ulimit -f`, allows no file of this size.\n";
  expect(await run("bash", ["-c", script], { cwd: path(".") })).toEqual({ stdout: "1\n", stderr });
  expect(await readdir(path("."))).toEqual([]);
});
