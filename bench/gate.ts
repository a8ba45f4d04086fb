import { count, median, type Report, round, times, withServer } from "./measure.js";
import { type Task, withWorkers } from "./worker.js";

const rounds = 15;

/**
 * The most CPU time of a call, compared with `fetch` with `AbortSignal.timeout` and `json()`. `fetch` builds a second Request from the
 * one of openapi-fetch, which takes a fifth of a call on Node.js 20 and less with each release after it.
 */
const limits = { 20: [1.5, 1.5], 22: [1.4, 1.3] } as Record<number, [number, number]>;
const [alone, together] = limits[Number.parseInt(process.versions.node, 10)] ?? [1.4, 1.25];

/** The same for the memory that a call allocates, which does not depend on what else the machine does. */
const mostAllocated = 1.35;

const tasks: Record<string, Task & { most: number }> = {
  "one after the other": { atOnce: 1, each: 1000, most: alone },
  "32 at once": { atOnce: 32, each: 60, most: together },
};

const clients = ["fetch", "vegaprotocol-client"] as const;

/** The CPU time and the memory of a call over HTTP with retry, deadline and rate limiter, compared with the same request by `fetch`. */
export const gate = (): Promise<Report[]> =>
  withServer((baseUrl) =>
    withWorkers(baseUrl, clients, async (measure) => {
      const rows: Report["rows"] = {};
      /** Compares what a task took in each round, for each call. */
      const compare = (what: string, [base = [], own = []]: number[][], most: number) => {
        const ratio = times(own, base);
        rows[what] = {
          "fetch, µs or kB": round(median(base)),
          "vegaprotocol-client, µs or kB": round(median(own)),
          "times fetch": ratio,
          "at most": most,
        };
        if (ratio <= most) return;
        console.error(`A call takes ${count(ratio)} times the ${what} of fetch: more than ${most}.`);
        process.exitCode = 1;
      };
      for (const [name, { most, ...task }] of Object.entries(tasks)) {
        const samples = await measure(task, rounds);
        const calls = task.atOnce * task.each;
        const cpu = clients.map((client) => samples[client]?.cpu.map((each) => each / (1000 * calls)) ?? []);
        compare(`CPU time ${name}`, cpu, most);
      }
      const samples = await measure({ atOnce: 8, each: 500, countsBytes: true }, 1);
      const bytes = clients.map((client) => samples[client]?.bytes.map((each) => each / (1000 * 8 * 500)) ?? []);
      compare("memory", bytes, mostAllocated);
      return [{ title: `A call compared with fetch and a deadline, ${rounds} rounds`, rows }];
    }),
  );
