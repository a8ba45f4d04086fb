/** Measures one client in a separate process: code paths that one client warms up in the engine slow down another. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type HeapProfiler, Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { type Way, waysTo, waysToNodes } from "./clients.js";
import type { Samples } from "./measure.js";

export interface Task {
  /** How many do it at once. */
  atOnce: number;
  /** How many calls each of them makes, or over how many records it goes. */
  each: number;
  /** Records on a page, for a walk; calls where it is left out. */
  pageSize?: number;
  /** Whether the memory that they allocate is counted, which takes time. */
  countsBytes?: boolean;
}

/** CPU and wall time, and the bytes that were allocated if they were counted. */
export interface WorkerSamples extends Samples {
  bytes: number[];
}

/** Lets the named clients do tasks, in rounds that take turns, so that what else the machine does affects all of them. */
export async function withWorkers<T>(
  baseUrl: string,
  names: readonly string[],
  use: (measure: (task: Task, rounds: number) => Promise<Record<string, WorkerSamples>>) => Promise<T>,
): Promise<T> {
  // A young generation of one size: left to itself, it grows with what one client leaves behind, and another's stays small.
  const execArgv = [...process.execArgv, "--min-semi-space-size=16", "--max-semi-space-size=16"];
  const workers = names.map((name): [string, ChildProcess] => [
    name,
    fork(fileURLToPath(import.meta.url), [baseUrl, name], { execArgv }),
  ]);
  try {
    return await use(async (task, rounds) => {
      const samples: Record<string, WorkerSamples> = Object.fromEntries(
        names.map((name) => [name, { cpu: [], wall: [], bytes: [] }]),
      );
      // The first rounds are not counted: the engine has yet to compile what is hot.
      for (let round = -3; round < rounds; round++) {
        // Each has been first, and each has been last.
        workers.push(...workers.splice(0, 1));
        for (const [name, worker] of workers) {
          worker.send(task);
          const [measured] = (await once(worker, "message")) as [Record<keyof WorkerSamples, number>];
          if (round < 0) continue;
          for (const figure of ["cpu", "wall", "bytes"] as const) samples[name]?.[figure].push(measured[figure]);
        }
      }
      return samples;
    });
  } finally {
    for (const [, worker] of workers) worker.disconnect();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , baseUrl = "", name = ""] = process.argv;
  const ways: Record<string, Way> = { ...waysTo(baseUrl), ...waysToNodes(baseUrl) };
  const way = ways[name];
  if (way === undefined) throw new Error(`There is no client "${name}".`);
  const one = async ({ each, pageSize }: Task) => {
    if (pageSize !== undefined) await way.walk(each, pageSize);
    else for (let done = 0; done < each; done++) await way.call();
  };
  process.on("message", async (task: Task) => {
    const stopCounting = task.countsBytes ? await countBytes() : undefined;
    const start = process.cpuUsage();
    const started = performance.now();
    await Promise.all(Array.from({ length: task.atOnce }, () => one(task)));
    const { user, system } = process.cpuUsage(start);
    const wall = (performance.now() - started) * 1e6;
    process.send?.({ cpu: (user + system) * 1000, wall, bytes: (await stopCounting?.()) ?? 0 });
  });
  process.on("disconnect", () => process.exit());
}

/** Counts what is allocated from now on, whether it is still in use or not. The returned function returns the bytes. */
async function countBytes(): Promise<() => Promise<number>> {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 1024,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  const sizeOf = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
    children.reduce((size, child) => size + sizeOf(child), selfSize);
  return async () => {
    const { profile } = await session.post("HeapProfiler.stopSampling");
    session.disconnect();
    return sizeOf(profile.head);
  };
}
