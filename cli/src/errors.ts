import { readFile } from "node:fs/promises";
import { ArgumentError } from "vegaprotocol-client";

/** The exit codes of the program. An interrupted program has its signal's code, such as 130 for SIGINT. */
export const exitCodes = { done: 0, failed: 1, usage: 2, incomplete: 3, rejected: 4, rateLimited: 5 } as const;

export const exitCodeTexts: Readonly<Record<number, string>> = {
  0: "Done.",
  1: "Failed, or records differ.",
  2: "Wrong usage: no file was changed.",
  3:
    "The node does not have all records: it is behind, keeps a shorter history, or its pages lead no further; or not everything " +
    "could be compared.",
  4: "The node rejects the transaction, or the limits do not allow another one.",
  5: "The rate limit is exceeded, or the client is banned.",
  130: "Interrupted by Ctrl-C; 143 by SIGTERM, and 129 if the terminal is closed. Servers end with 0.",
};

export class ExitError extends Error {
  readonly exitCode: number;

  constructor(message: string, cause?: unknown, exitCode: number = exitCodes.failed) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** The command cannot be run as it was entered. No file was changed. */
export class UsageError extends ExitError {
  constructor(message: string) {
    super(message, undefined, exitCodes.usage);
  }
}

export class NoCopyError extends UsageError {}

export class NoProposalError extends ExitError {}

/** A node failed at a path that the description does not have. */
export class NodeError extends ExitError {
  readonly status: number;

  constructor(path: string, status: number) {
    const code = status === 429 ? exitCodes.rateLimited : exitCodes.failed;
    super(`The node responded to ${path} with status ${status}.`, undefined, code);
    this.status = status;
  }
}

export class IncompleteError extends ExitError {
  constructor(message: string, cause?: unknown) {
    super(message, cause, exitCodes.incomplete);
  }
}

/** The arguments of reports that come from a node. */
const recordArguments = ["changes", "votes", "signatures", "statistics"];

/** The error of a report that got an invalid record, which is the fault of the node. */
export function recordError(error: unknown): ExitError | undefined {
  if (!ArgumentError.is(error) || !recordArguments.includes(error.argument)) return undefined;
  return new ExitError(error.message.replace(/ in `\w+` of \w+/, ""));
}

/** Suggests the name that begins and ends most alike, if half of its letters match, or all of them in another order. */
export function didYouMean(text: string, names: readonly string[]): string {
  const shared = (a: string, b: string) => [...a].findIndex((letter, index) => letter !== b[index]);
  const letters = (name: string) => [...name].sort().join("");
  const alike = (name: string) => {
    if (letters(name) === letters(text)) return text.length;
    const [start, end] = [shared(text, name), shared([...text].reverse().join(""), [...name].reverse().join(""))];
    return start < 0 || end < 0 ? text.length : start + end;
  };
  const [best = ""] = [...names].sort((a, b) => alike(b) - alike(a));
  return alike(best) * 2 >= Math.max(text.length, 1) ? ` Did you mean ${best}?` : "";
}

export const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file.",
  ENOTDIR: "there is no such file.",
  EISDIR: "it is a folder.",
  EACCES: "permission denied.",
};

export async function readInput(name: string, example: string): Promise<string> {
  const bytes = await readFile(name).catch(({ code = "", message }: NodeJS.ErrnoException) => {
    throw new UsageError(
      `Cannot read ${name}: ${reasons[code] ?? `${message}.`} Pass another one, such as ${example}.`,
    );
  });
  return decode(bytes);
}

/** Text without a byte order mark, which programs on Windows write. `>` of Windows PowerShell writes UTF-16. */
export const decode = (bytes: Uint8Array): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8").decode(bytes);

/** Its message is advice, which is printed after its cause. */
export class ErrorWithAdvice extends Error {
  constructor(cause: unknown, advice: string) {
    super(advice, { cause });
  }
}

export function causesOf(error: unknown, depth = 0): { code?: string; port?: number; message: string }[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...inner].flatMap((each) => causesOf(each, depth + 1))];
}
