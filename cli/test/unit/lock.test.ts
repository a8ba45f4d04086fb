import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lock } from "../../src/sync/lock.js";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lock-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach((context) => {
  file = join(folder, `${context.task.id}.db`);
});

/** No process has an id that is this large. */
const noProcess = 2 ** 30;
const writeLock = (owner: object) =>
  writeFile(`${file}.lock`, JSON.stringify({ host: hostname(), started: "2024-02-09T16:00:00Z", ...owner }));
const left = async () => (await readdir(folder)).filter((name) => name.startsWith(`${basename(file)}.lock`));

describe("the lock of a destination", () => {
  test("has the host, the process and its start, refuses a second writer, and is removed by its release", async () => {
    const release = await lock(file);
    expect(JSON.parse(await readFile(`${file}.lock`, "utf8"))).toMatchObject({
      host: hostname(),
      pid: process.pid,
      started: expect.stringMatching(/^20\d\d-\d\d-\d\dT.*Z$/),
    });
    await expect(lock(file)).rejects.toThrow(`Process ${process.pid} on ${hostname()}, started at 20`);
    await release();
    await (await lock(file))();
    expect(await left()).toEqual([]);
  });

  test("is shared by two names of one file", async () => {
    await writeFile(file, "");
    await symlink(file, `${file}.link`);
    const release = await lock(`${file}.link`);
    await expect(lock(file)).rejects.toThrow(`writes ${file}.`);
    await release();
  });

  test("is taken over from a process that has ended, and not from one that runs", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log('ready')"]);
    await once(child.stdout, "data");
    await writeLock({ pid: child.pid });
    await expect(lock(file)).rejects.toThrow(
      `Process ${child.pid} on ${hostname()}, started at 2024-02-09T16:00:00Z, writes`,
    );
    child.kill("SIGKILL");
    await once(child, "close");
    await (await lock(file))();
  });

  test("is taken over from an earlier process with the id of this one, as in a container that was restarted", async () => {
    await writeLock({ pid: process.pid });
    await (await lock(file))();
  });

  test("is never taken over from another host, or from an unknown process", async () => {
    await writeLock({ host: "elsewhere", pid: 1 });
    await expect(lock(file)).rejects.toThrow("Process 1 on elsewhere");
    await writeFile(`${file}.lock`, "");
    await expect(lock(file)).rejects.toThrow(`Another process writes ${file}`);
  });

  test("of a process that has ended is taken over by one of many that try at once", async () => {
    for (let round = 0; round < 20; round++) {
      await writeLock({ pid: noProcess });
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => lock(file)));
      const held = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(held).toHaveLength(1);
      await held[0]?.();
    }
    expect(await left()).toEqual([]);
  });
});
