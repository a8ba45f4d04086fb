import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterEach, beforeEach, expect, onTestFinished } from "vitest";
import { Interruption, type Io } from "../../src/io.js";
import { run } from "../../src/program.js";

export const isWindows = process.platform === "win32";

export interface CliOptions extends Partial<Pick<Io, "env" | "fetch" | "now" | "signal">> {
  stdin?: string | Readable;
  /** The width of the terminal that stdout is. Default: it is a pipe. */
  terminal?: number;
  /** The width of the terminal that stderr is. Default: it is a pipe. */
  errorTerminal?: number;
  /** Called with each text that is written to stdout. If it returns an error, the stream fails with it. */
  onOutput?: (text: string) => unknown;
  /** Called with each text that is written to stderr. */
  onErrorOutput?: (text: string) => unknown;
}

class Sink extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns: number | undefined, onOutput: CliOptions["onOutput"] = () => {}) {
    super({
      decodeStrings: false,
      write: (chunk, _, done) => {
        this.text += chunk;
        const error = onOutput(String(chunk));
        done(error instanceof Error ? error : null);
      },
    });
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }
}

/** What a command reads from and writes to. */
export function createIo(argv: readonly string[], options: CliOptions = {}) {
  const { env, fetch, now = () => performance.now(), signal = new AbortController().signal, stdin = "" } = options;
  const stdout = new Sink(options.terminal, options.onOutput);
  const stderr = new Sink(options.errorTerminal, options.onErrorOutput);
  const io: Io = {
    argv,
    env: { VEGA_NODE: "https://node.example", ...env },
    stdin: Object.assign(typeof stdin === "string" ? Readable.from([stdin]) : stdin, { isTTY: false }),
    stdout: stdout as Io["stdout"],
    stderr: stderr as Io["stderr"],
    fetch,
    now,
    signal,
  };
  return { io, stdout, stderr };
}

/** Runs the command line in this process. */
export async function runCli(argv: readonly string[], options: CliOptions = {}) {
  const { io, stdout, stderr } = createIo(argv, options);
  const code = await run(io);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** What a command prints to stderr that has read the balance changes of a node without --from. */
export const complete = (rest = "") =>
  expect.stringMatching(
    new RegExp(`^The records are complete from \\S+Z(?: on| up to \\S+Z)\\. Earlier ones are unknown\\.\n${rest}$`),
  );

/** How a command ends, with what it prints to stderr. */
export const ended = (code: number, text: string | RegExp = "") => ({
  code,
  stderr: typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
});

/** How a comparison ends that finds as many balance changes in the node. */
export const equal = (count: number) => ({ code: 0, stdout: expect.stringContaining(`: ${count} balance changes.`) });

/** A clock of which each look takes some milliseconds. */
export function clock(step: number): () => number {
  let now = 0;
  return () => (now += step);
}

/** A signal of the system that has arrived, or will. */
export function interruption(name: "SIGINT" | "SIGTERM" = "SIGINT") {
  const controller = new AbortController();
  return { signal: controller.signal, interrupt: () => controller.abort(new Interruption(name)) };
}

/** Runs a command, and interrupts it before a request or after an output if it has done enough. */
export function runUntil(
  isEnough: (done: { requests: number; outputs: number; stdout: string }) => boolean,
  argv: readonly string[],
  { fetch, ...options }: CliOptions & { fetch: NonNullable<Io["fetch"]> },
) {
  const { signal, interrupt } = interruption();
  const done = { requests: 0, outputs: 0, stdout: "" };
  const count = (name: "requests" | "outputs", text = "") => {
    done[name]++;
    done.stdout += text;
    if (isEnough(done)) interrupt();
  };
  const counted = (request: Request) => {
    count("requests");
    return fetch(request);
  };
  return runCli(argv, { ...options, signal, fetch: counted, onOutput: (text) => count("outputs", text) });
}

/** A promise, and the function that resolves it. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Starts a command that serves in this process until the test ends, and waits for the addresses that it prints. */
export async function startServing(argv: readonly string[], fetch?: Io["fetch"], addresses = 1, now?: Io["now"]) {
  const { signal, interrupt } = interruption();
  let [stdout, stderr] = ["", ""];
  const listening = gate();
  const ended = runCli(argv, {
    fetch,
    signal,
    ...(now && { now }),
    onOutput: (text) => {
      stdout += text;
      if (stdout.split("\n").length > addresses) listening.open();
    },
    onErrorOutput: (text) => {
      stderr += text;
    },
  });
  await Promise.race([listening.opened, ended.then((result) => Promise.reject(new Error(result.stderr)))]);
  const urls = stdout.trim().split("\n");
  const close = () => {
    interrupt();
    return ended;
  };
  onTestFinished(async () => void (await close()));
  return { urls, url: urls[0] ?? "", stderr: () => stderr, close };
}

/** The values of a text with JSON on each line. */
export const readLines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Linux keeps these files in memory: a disk takes a while for each transaction of a database. */
const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Gives each test of a file a folder of its own. Returns a function for the path of a name in it. */
export function useFolder(): (name: string) => string {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(root, "vegaprotocol-")));
  });
  afterEach(() => rm(folder, { recursive: true, maxRetries: 3 }));
  return (name) => join(folder, name);
}
