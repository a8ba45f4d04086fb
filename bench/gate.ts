import { count, median, type Report, round, times, withServer } from "./measure.js";
import { type Task, withWorkers } from "./worker.js";

const rounds = 15;

/**
 * The most CPU time of a call, compared with `fetch` with `AbortSignal.timeout` and `json()`. `fetch` builds a second Request from the
 * one of openapi-fetch, which takes a fifth of a call on Node.js 20 and less with each release after it.
 */
const limits = { 20: [1.5, 1.5], 22: [1.3, 1.3] } as Record<number, [number, number]>;
const [alone, together] = limits[Number.parseInt(process.versions.node, 10)] ?? [1.4, 1.25];
const tasks: Record<string, Task & { most: number }> = {
  "one after the other": { atOnce: 1, each: 1000, most: alone },
  "32 at once": { atOnce: 32, each: 60, most: together },
};

/** The CPU time of a call over HTTP with retry, deadline and rate limiter, compared with the same request by `fetch`. */
export const gate = (): Promise<Report[]> =>
  withServer((baseUrl) =>
    withWorkers(baseUrl, ["fetch", "vegaprotocol-client"], async (measure) => {
      const rows: Report["rows"] = {};
      for (const [name, { most, ...task }] of Object.entries(tasks)) {
        const samples = await measure(task, rounds);
        const base = samples["fetch"]?.cpu ?? [];
        const own = samples["vegaprotocol-client"]?.cpu ?? [];
        const ratio = times(own, base);
        const microseconds = (cpu: number[]) => round(median(cpu) / (task.atOnce * task.each * 1000));
        rows[name] = {
          "fetch, µs": microseconds(base),
          "vegaprotocol-client, µs": microseconds(own),
          "times fetch": ratio,
          "at most": most,
        };
        if (ratio > most) {
          console.error(`A call takes ${count(ratio)} times the CPU time of fetch, ${name}: more than ${most}.`);
          process.exitCode = 1;
        }
      }
      return [{ title: `CPU time of a call compared with fetch and a deadline, ${rounds} rounds`, rows }];
    }),
  );
