import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lock } from "../../src/sync/lock.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lock-"));
  file = join(folder, "vega.db");
});
afterEach(() => rm(folder, { recursive: true }));

const writeLock = (pid: number | undefined, host = hostname()) => writeFile(`${file}.lock.${pid}.${host}`, "");

describe("the lock of a destination", () => {
  test("refuses a second writer of the same file by its process, and is removed by its release", async () => {
    await writeFile(file, "");
    await symlink(file, `${file}.link`);
    const release = await lock(`${file}.link`);
    await expect(lock(file)).rejects.toThrow(`Process ${process.pid} on ${hostname()} writes ${file}.`);
    await release();
    await (await lock(file))();
    expect((await readdir(folder)).sort()).toEqual(["vega.db", "vega.db.link"]);
  });

  test("is taken over from a process that has ended, and not from one that runs", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log('ready')"]);
    await once(child.stdout, "data");
    await writeLock(child.pid);
    await expect(lock(file)).rejects.toThrow(`Process ${child.pid} on ${hostname()} writes`);
    child.kill("SIGKILL");
    await once(child, "close");
    await (await lock(file))();
    expect(await readdir(folder)).toEqual([]);
  });

  test("is taken over from an earlier process with the id of this one, as in a container that was restarted", async () => {
    await writeLock(process.pid);
    await (await lock(file))();
  });

  test("is never taken over from another host", async () => {
    await writeLock(1, "elsewhere");
    await expect(lock(file)).rejects.toThrow(`Process 1 on elsewhere writes ${file}`);
  });

  test("is granted to the first by name of several processes that begin at the same moment", async () => {
    await writeLock(process.pid, `${hostname()}.later`);
    const locking = lock(file);
    await rm(`${file}.lock.${process.pid}.${hostname()}.later`);
    await (await locking)();
  });

  test("of a process that has ended is taken over by one of many that try at once", async () => {
    // No process has an id that is this large.
    await writeLock(2 ** 30);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lock(file)));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", ...Array(7).fill("rejected")]);
  });
});
