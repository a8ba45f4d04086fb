import { spawn, spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { expect, test, vi } from "vitest";
import { firstOutput, kill } from "../../../test/support/run.js";
import { untilUsable } from "../../src/sync/destinations/database.js";
import { lock } from "../../src/sync/sqlite.js";
import { useFolder } from "../support/run-cli.js";

const path = useFolder();
const file = () => path("vega.db");
const refusal = (id: number | undefined) => `Process ${id} on ${hostname()} writes ${file()}. Wait for it to end.`;

const program = [
  ...["--import", import.meta.resolve("tsx"), "--input-type", "module", "-e"],
  `import { lock } from ${JSON.stringify(new URL("../../src/sync/sqlite.ts", import.meta.url).href)};
   for (let release; ; ) {
     release = await lock(process.argv[1]).catch(({ message }) => console.log(message));
     if (release) console.log("locked", process.pid);
     await new Promise((resolve) => process.stdin.once("data", resolve));
     await release?.();
     await new Promise((resolve) => process.stdin.once("data", resolve));
   }`,
];

/** Starts a process that locks the file, and waits for what it prints. */
async function start(...before: readonly string[]) {
  const [command = "", ...args] = [...before, process.execPath, ...program, file()];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  return { child, text: await firstOutput(child) };
}

test("the lock of a destination ends with the process that has it, however that ends", async () => {
  const { child } = await start();
  await expect(lock(file())).rejects.toThrow(refusal(child.pid));
  await kill(child, "SIGKILL");
  await (await lock(file()))();
  expect(await readdir(path("."))).toEqual([]);
});

test("the lock of a destination is free or taken while the process that had it removes its file", async () => {
  const taken = / writes .* Wait for it to end\.$/;
  const errors: string[] = [];
  async function lockOften(): Promise<void> {
    for (let tries = 0; tries < 40; tries++) {
      const release = await lock(file()).catch((error: Error) => void errors.push(error.message));
      await release?.();
    }
  }
  await Promise.all([lockOften(), lockOften()]);
  expect(errors.filter((message) => !taken.test(message))).toEqual([]);
});

test("the lock of a destination is in a file that others see, also if it was waited for", async () => {
  const { child } = await start();
  for (let round = 0; round < 10; round++) {
    // The process removes its file while this one waits.
    child.stdin.write("release\n");
    const release = await lock(file());
    expect(await readdir(path("."))).toEqual(["vega.db.lock"]);
    await release();
    child.stdin.write("lock\n");
    await firstOutput(child);
  }
  await kill(child, "SIGKILL");
});

const container = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child"];
const hasContainers = spawnSync("unshare", [...container.slice(1), "true"]).status === 0;

test.skipIf(!hasContainers)(
  "the lock of a destination holds between containers whose processes have one id and one host name",
  async () => {
    const first = await start(...container);
    const second = await start(...container);
    expect([first.text, second.text]).toEqual(["locked 1", refusal(1)]);
    await Promise.all([first, second].map(({ child }) => kill(child, "SIGKILL")));
    const third = await start(...container);
    expect(third.text).toBe("locked 1");
    await kill(third.child, "SIGKILL");
  },
);

test("a database that is locked or restarts is waited for from its first failure on, however long the statement took", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const controller = new AbortController();
  const run = () => {
    now.mockReturnValue(3_600_000);
    throw new Error("lost");
  };
  // The wait begins.
  const onNotice = (message: string) => controller.abort(message);
  const waited = untilUsable(run, () => true, { name: "vega.db", signal: controller.signal, onNotice });
  await expect(waited).rejects.toBe("vega.db: lost. Trying again for five minutes.");
  now.mockRestore();
});
