import { Readable, Writable } from "node:stream";
import { Interruption, type Io } from "../../src/io.js";
import { run } from "../../src/program.js";

export interface CliOptions extends Partial<Pick<Io, "env" | "fetch" | "now" | "signal">> {
  stdin?: string | Readable;
  /** The width of the terminal that stdout is. Default: it is a pipe. */
  terminal?: number;
  /** The width of the terminal that stderr is. Default: it is a pipe. */
  errorTerminal?: number;
  /** Called with each text that is written to stdout. An error that it returns is that of the stream. */
  onOutput?: (text: string) => Error | undefined;
  /** Called with each text that is written to stderr. */
  onErrorOutput?: (text: string) => void;
}

class Sink extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns: number | undefined, onOutput: CliOptions["onOutput"] = () => undefined) {
    super({
      decodeStrings: false,
      write: (chunk, _, done) => {
        this.text += chunk;
        done(onOutput(String(chunk)));
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
  const stderr = new Sink(options.errorTerminal, (text) => {
    options.onErrorOutput?.(text);
    return undefined;
  });
  const io: Io = {
    argv,
    env: { VEGAPROTOCOL_NODE: "https://node.example", ...env },
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

/** A signal of the system that has arrived, or will. */
export function interruption(name: "SIGINT" | "SIGTERM" = "SIGINT") {
  const controller = new AbortController();
  return { signal: controller.signal, interrupt: () => controller.abort(new Interruption(name)) };
}
