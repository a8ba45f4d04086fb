import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import createHttp from "openapi-fetch";
import { createClient } from "../dist/src/index.js";
import type { paths } from "../generated/openapi.js";
import { limit, median, type Report, round, times, withServer } from "./measure.js";

const rounds = 15;
const partyId = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";

/** One call by each client; `fetch` has a deadline, as a program that waits for a server needs one. */
function callsOf(baseUrl: string): Record<string, () => Promise<unknown>> {
  const http = createHttp<paths>({ baseUrl });
  const client = createClient({ baseUrl });
  return {
    fetch: async () =>
      (await fetch(`${baseUrl}/statistics/spam/${partyId}`, { signal: AbortSignal.timeout(30_000) })).json(),
    "openapi-fetch": () => http.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } }),
    "vegaprotocol-client": () => client.getSpamStatistics({ partyId }),
  };
}

interface Task {
  atOnce: number;
  each: number;
}

/** What a call may take, compared with `fetch`. `fetch` copies the Request, which takes longer before Node.js 24. */
const limits: Record<string, [number, number]> = { 20: [1.5, 1.5], 22: [1.4, 1.3] };
const [alone, together] = limits[Number.parseInt(process.versions.node, 10)] ?? [1.4, 1.25];
const tasks: Record<string, Task & { most: number }> = {
  "one after the other": { atOnce: 1, each: 1000, most: alone },
  "32 at once": { atOnce: 32, each: 60, most: together },
};

/** The CPU time of a call over HTTP with retries, deadline and pacing, compared with the same request by `fetch`. */
export const calls = (): Promise<Report[]> =>
  withServer("server.js", [], async (baseUrl) => {
    // A young generation of one size: left to itself, it grows with what one client leaves behind.
    const execArgv = [...process.execArgv, "--min-semi-space-size=16", "--max-semi-space-size=16"];
    // Each in a process of its own: code paths that one client warms up in the engine slow down another.
    const workers = Object.keys(callsOf(baseUrl)).map((name): [string, ChildProcess] => [
      name,
      fork(fileURLToPath(import.meta.url), [baseUrl, name], { execArgv }),
    ]);
    try {
      const reports: Report[] = [];
      for (const [title, { most, ...task }] of Object.entries(tasks)) {
        const samples = await measure(workers, task);
        const rows = Object.entries(samples).map(([name, cpu]) => {
          const figures = { "CPU, µs": round(median(cpu)), "times fetch": times(cpu, samples["fetch"] ?? []) };
          if (name === "vegaprotocol-client") limit(`CPU of a call, ${title}`, figures["times fetch"], most);
          return [name, figures] as const;
        });
        reports.push({ title: `A call, ${title}, ${rounds} rounds`, rows: Object.fromEntries(rows) });
      }
      return reports;
    } finally {
      for (const [, worker] of workers) worker.disconnect();
    }
  });

/** Microseconds for each call, in rounds that take turns, so that what else the machine does affects all clients. */
async function measure(workers: [string, ChildProcess][], task: Task): Promise<Record<string, number[]>> {
  const samples: Record<string, number[]> = Object.fromEntries(workers.map(([name]) => [name, []]));
  // The first rounds are not counted: the engine has yet to compile what is hot.
  for (let round = -3; round < rounds; round++) {
    workers.push(...workers.splice(0, 1));
    for (const [name, worker] of workers) {
      worker.send(task);
      const [cpu] = (await once(worker, "message")) as [number];
      if (round >= 0) samples[name]?.push(cpu / (task.atOnce * task.each));
    }
  }
  return samples;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , baseUrl = "", name = ""] = process.argv;
  const call = callsOf(baseUrl)[name];
  process.on("message", async ({ atOnce, each }: Task) => {
    const start = process.cpuUsage();
    const one = async () => {
      for (let done = 0; done < each; done++) await call?.();
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    const { user, system } = process.cpuUsage(start);
    process.send?.(user + system);
  });
  process.on("disconnect", () => process.exit());
}
