import { waysTo } from "./clients.js";
import { count, median, type Report, round, type Samples, spread, times, withServer } from "./measure.js";
import { type Task, withWorkers } from "./worker.js";

const rounds = 7;
const many = 32;

/** One call, by each client, one after the other and many at once. */
export const calls = (): Promise<Report[]> =>
  compare("µs", [
    ["A call, one after the other", { atOnce: 1, each: 1000 }],
    [`A call, ${many} at once`, { atOnce: many, each: 50 }],
  ]);

/** A whole walk, by each client, in pages of several sizes. */
export const walks = (): Promise<Report[]> => {
  const sizes = { 1: 320, 100: 16_000, 1000: 64_000, 5000: 80_000 };
  const tasks = Object.entries(sizes).flatMap(([size, records]): [title: string, task: Task][] => {
    const pageSize = Number(size);
    // Whole pages for each walk, so that no client reads records that it does not use.
    const each = Math.ceil(records / many / pageSize) * pageSize;
    return [
      [`A walk in pages of ${count(pageSize)}`, { atOnce: 1, each: records, pageSize }],
      [`A walk in pages of ${count(pageSize)}, ${many} at once`, { atOnce: many, each, pageSize }],
    ];
  });
  return compare("µs per record", tasks);
};

const compare = (unit: string, tasks: [title: string, task: Task][]): Promise<Report[]> =>
  withServer((baseUrl) =>
    withWorkers(baseUrl, Object.keys(waysTo(baseUrl)), async (measure) => {
      const reports: Report[] = [];
      for (const [title, task] of tasks) {
        const samples = await measure(task, rounds);
        const base = samples["fetch"] ?? { cpu: [], wall: [] };
        const per = task.atOnce * task.each * 1000;
        const row = ({ cpu, wall }: Samples) => ({
          [`CPU, ${unit}`]: round(median(cpu) / per),
          "CPU, times fetch": times(cpu, base.cpu),
          "spread in %": spread(cpu),
          [`wall, ${unit}`]: round(median(wall) / per),
          "wall, times fetch": times(wall, base.wall),
        });
        const rows = Object.entries(samples).map(([name, all]) => [name, row(all)] as const);
        reports.push({ title: `${title}, ${rounds} rounds`, rows: Object.fromEntries(rows) });
      }
      return reports;
    }),
  );
