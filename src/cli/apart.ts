import { Worker } from "node:worker_threads";
import type { Interruption, InterruptSignal, Io, Output } from "./io.js";

const resourceLimits = {
  /** The most memory of new objects. Node.js 24 lets them take more than 100 MiB, with the responses that they refer to beside them. */
  maxYoungGenerationSizeMb: 12,
  /**
   * Far more than commands need, which use 15 MiB of it. With a limit below 2 GiB, V8 frees old objects sooner: an export takes 20 to
   * 45 MiB less. A lower limit takes more CPU time.
   */
  maxOldGenerationSizeMb: 1500,
};

/** What a thread is started with. */
export interface ThreadData extends Pick<Io, "argv"> {
  readonly terminals: Readonly<Record<OutputName, Pick<Output, "isTTY" | "columns">>>;
}

export type OutputName = "stdout" | "stderr";

/** What a thread sends: a text to write, and at last the exit code. */
export type FromThread = { readonly to: OutputName; readonly text: string } | { readonly code: number };

/** What is sent to a thread: a signal of the system, and that a text was written. */
export type ToThread =
  | { readonly signal: InterruptSignal }
  | { readonly written: OutputName; readonly error?: { message: string; code: unknown } };

const terminalOf = ({ isTTY, columns }: Output) => ({
  ...(isTTY !== undefined && { isTTY }),
  ...(columns !== undefined && { columns }),
});

/** Runs the command in a thread whose memory is bounded, and returns the exit code. */
export function runApart(io: Io): Promise<number> {
  const { argv, stdout, stderr, signal } = io;
  const workerData: ThreadData = { argv, terminals: { stdout: terminalOf(stdout), stderr: terminalOf(stderr) } };
  const thread = new Worker(new URL("thread.js", import.meta.url), { workerData, resourceLimits });
  const send = (message: ToThread) => thread.postMessage(message);
  // Signals of the system reach the main thread alone.
  const interrupt = () => send({ signal: (signal.reason as Interruption).signal });
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  // The error of a write is also that of its stream.
  stdout.on("error", () => {});
  return new Promise((resolve, reject) => {
    thread.once("error", reject);
    thread.on("message", (message: FromThread) => {
      if ("code" in message) return resolve(message.code);
      const { to, text } = message;
      io[to].write(text, (error) => {
        const code = error && "code" in error ? error.code : undefined;
        send({ written: to, ...(error && { error: { message: error.message, code } }) });
      });
    });
  });
}
