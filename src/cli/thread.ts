// The thread that `apart.ts` starts.
import { Writable } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";
import type { FromThread, OutputName, ThreadData, ToThread } from "./apart.js";
import { Interruption, type Output } from "./io.js";
import { run } from "./run.js";

type Written = (error?: Error) => void;

const controller = new AbortController();
const { argv, terminals } = workerData as ThreadData;
const waiting: Partial<Record<OutputName, Written>> = {};
const send = (message: FromThread) => parentPort?.postMessage(message);

parentPort?.on("message", (message: ToThread) => {
  if ("signal" in message) return controller.abort(new Interruption(message.signal));
  const { written, error } = message;
  waiting[written]?.(error && Object.assign(new Error(error.message), { code: error.code }));
});

/** An output of the process. Those that a thread has of its own do not report errors. */
function output(to: OutputName): Output {
  const write = (text: unknown, _: string, done: Written) => {
    waiting[to] = done;
    send({ to, text: String(text) });
  };
  const stream = new Writable({ decodeStrings: false, write });
  stream.on("error", () => {});
  return Object.assign(stream, terminals[to]);
}

const [stdout, stderr] = [output("stdout"), output("stderr")];
const code = await run({
  argv,
  env: process.env,
  stdin: process.stdin,
  stdout,
  stderr,
  now: () => performance.now(),
  signal: controller.signal,
});
for (const stream of [stdout, stderr]) await new Promise((resolve) => stream.end(resolve));
send({ code });
parentPort?.close();
