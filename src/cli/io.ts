import type { Writable } from "node:stream";

/** A stream for text, which can be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What the command line reads from and writes to. Tests pass their own. */
export interface Io {
  /** The arguments after the name of the program. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Milliseconds that never decrease. */
  readonly now: () => number;
  /** Aborts with an {@link Interruption} as its reason. */
  readonly signal: AbortSignal;
}

/** The signals that interrupt the program, and their numbers. Windows has no SIGTERM; Ctrl-Break and service managers send SIGBREAK. */
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15, SIGBREAK: 21 };
export type InterruptSignal = keyof typeof signalNumbers;
export const interruptSignals = Object.keys(signalNumbers) as InterruptSignal[];

/** The user has interrupted the program. */
export class Interruption extends Error {
  /** The status that a shell reports for a program that this signal ended. */
  readonly exitCode: number;
  readonly signal: InterruptSignal;

  constructor(name: InterruptSignal) {
    super(`Interrupted by ${name}.`);
    this.signal = name;
    this.exitCode = 128 + signalNumbers[name];
  }
}

/** Whether text on a stream can have colors. See https://no-color.org and https://force-color.org. */
export function hasColors({ env }: Io, stream: Output): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}
