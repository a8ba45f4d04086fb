import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** A table: what was measured, and its figures by name. */
export interface Report {
  title: string;
  rows: Record<string, Record<string, number>>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** How many times as much as another way took, in the middle of the rounds: each round is compared with itself. */
export const times = (values: readonly number[], base: readonly number[]) =>
  round(median(values.map((value, index) => value / (base[index] ?? value))));

export const round = (value: number) => Number(value.toPrecision(3));

export const count = (number: number) => number.toLocaleString("en");

/** Fails the benchmark if a figure is above its limit. */
export function limit(what: string, value = Number.POSITIVE_INFINITY, most: number): void {
  if (value <= most) return;
  console.error(`${what}: ${value} is more than ${most}.`);
  process.exitCode = 1;
}

/** Starts a server of this folder in another process, and ends it when the benchmark is over. */
export async function withServer<T>(
  name: string,
  argv: readonly string[],
  use: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const server: ChildProcess = fork(fileURLToPath(new URL(name, import.meta.url)), argv, { execArgv: [] });
  try {
    const [{ port }] = await once(server, "message");
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    server.disconnect();
  }
}

/** CPU time in microseconds, and the peak of the memory. */
export interface Run {
  cpu: number;
  mebibytes: number;
}

/** Prints the CPU time and the peak of the memory of a process when it ends. */
const printUsage =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=' +
  'process.resourceUsage();writeSync(2,"usage "+(u+s)+" "+m+"\\n")})';

/** Runs a program of Node.js to its end, and returns what it took. */
export async function runProcess(args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, ["--import", printUsage, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stderr, code] = await Promise.all([text(child.stderr), closed]);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
  const [, microseconds, kibibytes] = /usage (\d+) (\d+)/.exec(stderr) ?? [];
  return { cpu: Number(microseconds), mebibytes: Number(kibibytes) / 1024 };
}
