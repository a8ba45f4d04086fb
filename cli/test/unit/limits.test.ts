import { expect, test } from "vitest";
import { createShare, createTurns } from "../../src/serve/limits.js";

test("a share that is used up is taken from whoever holds the most, the oldest part first", () => {
  const lost: string[] = [];
  const share = createShare(10);
  const hold = (name: string, amount = 3) => {
    const holder = { destroy: () => lost.push(name) };
    share.add(holder, name.charAt(0), amount);
    return holder;
  };
  const [first] = [hold("a1"), hold("b1", 2), hold("a2"), hold("c1")];
  expect(lost).toEqual(["a1"]);
  share.remove(first);
  hold("b2", 2);
  expect(lost).toEqual(["a1"]);
  hold("d1", 11);
  expect(lost).toEqual(["a1", "d1"]);
});

/** Tasks that end when they are told to, with the order in which they start. The first ones are already there. */
async function createTasks(first: readonly string[], open: Readonly<Record<string, number>> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const controllers = new Map<string, AbortController>();
  const turns = createTurns(4, 2, (caller) => open[caller] ?? 1);
  const run = (name: string, weight = 1) => {
    const controller = new AbortController();
    controllers.set(name, controller);
    return turns.run(name.charAt(0), weight, controller.signal, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (const name of first) void run(name);
  await settle();
  return {
    started,
    run,
    abort: (name: string) => controllers.get(name)?.abort(new Error(`${name} is over`)),
    async end(...names: string[]) {
      for (const name of names) {
        ends.get(name)?.();
        await settle();
      }
    },
  };
}

test.each([
  {
    title: "a caller has a share, and one with few open requests is next, with the latest read",
    open: { a: 3, b: 3, d: 9 },
    first: ["a1", "a2", "a3", "b1", "b2", "b3"],
    later: ["d1", "c1", "e1"],
    next: ["c1", "e1", "a3", "b3"],
  },
  {
    title: "callers with equally many open requests have equal shares, although the reads of one are the latest",
    first: ["a1", "a2", "b1", "b2"],
    later: ["a3", "a4", "b3", "b4", "c1", "c2"],
    next: ["c2", "a4", "a3", "b4"],
  },
])("of callers who read at once, $title", async ({ open, first, later, next }) => {
  const { started, run, end } = await createTasks(first, open);
  expect(started).toEqual(["a1", "a2", "b1", "b2"]);
  for (const name of later) void run(name);
  await end("a1", "a2", "b1", "b2");
  expect(started.slice(4)).toEqual(next);
});

test("more callers than can read at once take turns", async () => {
  const { started, run, end } = await createTasks(["a1", "b1", "c1", "d1", "e1", "f1"]);
  for (const caller of ["a", "b", "c", "d"]) {
    await end(`${caller}1`);
    void run(`${caller}2`);
  }
  expect(started.slice(4)).toEqual(["e1", "f1", "a2", "b2"]);
});

test("a heavy read waits for room, which no lighter one takes", async () => {
  const { started, run, end } = await createTasks(["a1", "a2", "b1", "b2"], { d: 9 });
  for (const name of ["d1", "c1"]) void run(name, name === "c1" ? 2 : 1);
  await end("a1");
  expect(started.slice(4)).toEqual([]);
  await end("b1", "a2");
  expect(started.slice(4)).toEqual(["c1", "d1"]);
});

test("a read whose signal is aborted while it waits is not started", async () => {
  const { started, run, end, abort } = await createTasks(["a1", "a2", "b1", "b2"]);
  const waiting = run("c1");
  abort("c1");
  await expect(waiting).rejects.toThrow("c1 is over");
  await end("a1", "a2", "b1", "b2");
  expect(started).not.toContain("c1");
});
