import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A table: what was measured, and its figures by name. */
export interface Report {
  title: string;
  rows: Record<string, Record<string, number>>;
}

/** Nanoseconds, round by round. */
export interface Samples {
  cpu: number[];
  wall: number[];
}

/**
 * CPU and wall time of each way, in rounds that take turns, so that what else the machine does hits all of them. A first round
 * is not counted: the engine has yet to compile what is hot.
 */
export async function measure(
  ways: Record<string, () => Promise<unknown>>,
  rounds: number,
): Promise<Record<string, Samples>> {
  const samples: Record<string, Samples> = {};
  const order = Object.entries(ways);
  for (let round = 0; round <= rounds; round++) {
    for (const [name, way] of order) {
      samples[name] ??= { cpu: [], wall: [] };
      const start = process.cpuUsage();
      const started = performance.now();
      await way();
      const { user, system } = process.cpuUsage(start);
      if (round === 0) continue;
      samples[name].cpu.push((user + system) * 1000);
      samples[name].wall.push((performance.now() - started) * 1e6);
    }
    // What is measured first in a round can take less: the second one may pay for its garbage.
    order.reverse();
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** How many times as much as another way took, in the middle of the rounds: each round is compared with itself. */
export const times = (values: readonly number[], base: readonly number[]) =>
  round(median(values.map((value, index) => value / (base[index] ?? value))));

/** The range of the middle half of the rounds, in percent of the median. */
export function spread(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? 0;
  return Math.round(((at(0.75) - at(0.25)) / median(values)) * 100);
}

export const round = (value: number) => Number(value.toPrecision(3));

export const count = (number: number) => number.toLocaleString("en");

/** Starts the server, and ends it when the benchmark is over. */
export async function withServer<T>(use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = fork(fileURLToPath(new URL("server.js", import.meta.url)), { execArgv: [] });
  try {
    const port = await new Promise<unknown>((resolve) => server.once("message", resolve));
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    server.disconnect();
  }
}
