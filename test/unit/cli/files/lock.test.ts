import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lock, lockFile } from "../../../../src/cli/files/lock.js";
import { identityOf, isRunning } from "../../../../src/cli/files/process-identity.js";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lock-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach((context) => {
  file = join(folder, `${context.task.id}.csv`);
});

/** Other systems do not show what distinguishes a process from a later one with its id. */
const isLinux = process.platform === "linux";
/** No process has an id that is this large. */
const noProcess = 2 ** 30;

const writeLock = (owner: object) =>
  writeFile(lockFile(file), JSON.stringify({ host: hostname(), started: "2024-02-09T16:00:00Z", ...owner }));

/** Starts a process that waits, and ends it. */
async function startProcess() {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log('ready')"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const pid = child.pid ?? 0;
  const end = async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  };
  return { pid, identity: identityOf(pid), end };
}

describe("the lock of a file", () => {
  test("has the host, the process and its start, refuses a second writer, and is removed by its release", async () => {
    const held = await lock(file);
    expect(JSON.parse(await readFile(lockFile(file), "utf8"))).toMatchObject({
      host: hostname(),
      pid: process.pid,
      started: expect.stringMatching(/^20\d\d-\d\d-\d\dT.*Z$/),
    });
    await expect(lock(file)).rejects.toThrow(`Process ${process.pid} on ${hostname()}, started at 20`);
    await held.release();
    await (await lock(file)).release();
    expect((await readdir(folder)).filter((name) => file.endsWith(name.split(".lock")[0] ?? ""))).toEqual([]);
  });

  test("is taken over from a process that has ended, and not from one that runs", async () => {
    const { pid, identity, end } = await startProcess();
    await writeLock({ pid, identity });
    await expect(lock(file)).rejects.toThrow(
      `Process ${pid} on ${hostname()}, started at 2024-02-09T16:00:00Z, writes`,
    );
    await end();
    await (await lock(file)).release();
  });

  test.runIf(isLinux)("is taken over from an earlier process with the id of one that runs now", async () => {
    const { pid, identity = "", end } = await startProcess();
    await writeLock({ pid, identity: `${identity.slice(0, identity.lastIndexOf(" "))} 1` });
    await (await lock(file)).release();
    await end();
  });

  test.runIf(isLinux)("is taken over after a restart of the machine", async () => {
    await writeLock({
      pid: process.pid,
      identity: `earlier-boot ${identityOf(process.pid)?.split(" ").slice(1).join(" ")}`,
    });
    await (await lock(file)).release();
  });

  test.runIf(isLinux)("is never taken over from another container", async () => {
    const [boot, , tick] = identityOf(process.pid)?.split(" ") ?? [];
    await writeLock({ pid: 2 ** 22 + 1, identity: `${boot} pid:[1] ${tick}` });
    await expect(lock(file)).rejects.toThrow(`remove ${lockFile(file)}`);
  });

  test("is never taken over from another host, or from an unknown process", async () => {
    await writeLock({ host: "elsewhere", pid: 1 });
    await expect(lock(file)).rejects.toThrow("Process 1 on elsewhere");
    await writeFile(lockFile(file), "");
    await expect(lock(file)).rejects.toThrow(`Another process writes ${file}`);
  });

  test("of a process that has ended is taken over by one of many that try at once", async () => {
    for (let round = 0; round < 20; round++) {
      await writeLock({ pid: noProcess });
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => lock(file)));
      const held = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(held).toHaveLength(1);
      await held[0]?.release();
    }
  });

  test("is taken over although a process ended while it did the same", async () => {
    const gone = { pid: noProcess };
    await writeLock(gone);
    await writeFile(`${lockFile(file)}.takeover`, JSON.stringify({ host: hostname(), started: "", ...gone }));
    await writeFile(`${lockFile(file)}.${hostname()}.${noProcess}.x1`, "");
    await writeFile(`${lockFile(file)}.takeover.${hostname()}.${noProcess}.x2`, "");
    await writeFile(`${lockFile(file)}.mine`, "mine");
    await (await lock(file)).release();
    const names = (await readdir(folder)).filter((name) => name.startsWith(basename(lockFile(file))));
    expect(names).toEqual([basename(`${lockFile(file)}.mine`)]);
  });
});

test.runIf(isLinux)("a process that has ended and was not waited for does not run", async () => {
  const shell = spawn("bash", ["-c", "sleep 0.3 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(shell.stdout, "data");
  const pid = Number(String(line));
  const isZombie = async () => (await readFile(`/proc/${pid}/stat`, "utf8")).includes(") Z ");
  while (!(await isZombie())) await new Promise((resolve) => setImmediate(resolve));
  expect(isRunning(pid)).toBe(false);
  shell.kill();
});
