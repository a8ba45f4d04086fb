import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The inputs and outputs of the command line. Tests pass their own. */
export interface Io {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Sends the requests. Default: undici, with the proxies of the environment. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Milliseconds that never decrease. */
  readonly now: () => number;
  /** Aborts with an {@link Interruption} as its reason. */
  readonly signal: AbortSignal;
}

/** The signals that interrupt the program. Windows has no SIGTERM; Ctrl-Break and service managers send SIGBREAK. */
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15, SIGBREAK: 21 };
export type InterruptSignal = keyof typeof signalNumbers;
export const interruptSignals = Object.keys(signalNumbers) as InterruptSignal[];

export class Interruption extends Error {
  /** The status that a shell reports for a program that was ended by this signal. */
  readonly exitCode: number;

  constructor(name: InterruptSignal) {
    super(`Interrupted by ${name}.`);
    this.exitCode = 128 + signalNumbers[name];
  }
}

/** Some terminals report 0 columns, which means that they do not know their width. */
export const widthOf = ({ columns }: Output): number => columns || 80;

/** Whether a stream is a terminal that understands control characters. */
export const isTerminal = ({ env }: Pick<Io, "env">, stream: Output): boolean =>
  stream.isTTY === true && env["TERM"] !== "dumb";

/** Whether text on a stream can have colors. See https://no-color.org and https://force-color.org. */
export function hasColors(io: Io, stream: Output): boolean {
  if (io.env["NO_COLOR"]) return false;
  if (io.env["FORCE_COLOR"]) return io.env["FORCE_COLOR"] !== "0";
  return isTerminal(io, stream);
}

/** Removes the line of a terminal. */
export const eraseLine = "\r\x1b[K";

/** Characters that would control a terminal: C0, C1, line and paragraph separators, and marks of direction. */
const controls = /\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/gu;
/** The control characters that JSON does not escape. */
const controlsInJson = /[\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}/gu;

export const printable = (text: string): string => text.replaceAll(controls, "�");

/** JSON with the same value that is safe to print on a terminal. */
export const printableJson = (json: string): string => json.replaceAll(controlsInJson, escapeInJson);

export const escapeInJson = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Prints a line, in place of a line of progress. */
export function printMessage(io: Pick<Io, "stderr" | "env">, text: string): void {
  io.stderr.write(`${isTerminal(io, io.stderr) ? eraseLine : ""}${printable(text)}\n`);
}

/** The reader of stdout has closed it, as `head` does. */
export class OutputClosed extends Error {}

/** Text cannot be written. The cause has the reason. */
export class OutputError extends Error {}

/** An interrupted write is given up after these milliseconds: a pager such as `less` reads only what it shows. */
const patience = 1000;

/** @param signal - Ends the wait for a program that does not read. */
export function write(stream: Writable, text: string, signal?: AbortSignal): Promise<void> {
  // The error is also reported to the callback; without a listener it would end the process.
  if (stream.listenerCount("error") === 0) stream.on("error", () => {});
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const written = new Promise<void>((resolve, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal?.reason), patience);
    };
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort);
    stream.write(text, (error) => {
      if (!error) resolve();
      // On Windows, a write that waits when its reader ends fails with EOF.
      else if ("code" in error && ["EPIPE", "EOF"].includes(String(error.code))) reject(new OutputClosed());
      else reject(new OutputError(error.message, { cause: error }));
    });
  });
  return written.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  });
}

/** The text of a file of this package. The path is the same from `src` in a clone, and from `dist`. */
export const readOwnFile = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");

/** A number with separators, and a noun that is singular for one: `1 record`, `1,234 records`. */
export const count = (number: number, noun: string): string =>
  `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
