import { styleText } from "node:util";
import { ArgumentError, describe, PaginationError, RateLimitError } from "../errors/index.js";
import { EndError, exitCodes, IncompleteError, UsageError } from "./exit.js";
import { hasColors, Interruption, type Io } from "./io.js";
import { printMessage } from "./message.js";
import { withFlagNames } from "./option-names.js";
import { printable } from "./output/printable.js";
import { OutputClosed } from "./output/stdout.js";

/** An error and what the user can do about it. */
export class ErrorWithAdvice extends Error {
  readonly advice: string;

  constructor(cause: unknown, advice: string) {
    super(advice, { cause });
    this.advice = advice;
  }
}

/** Prints an error, and returns the exit code. */
export function report(error: unknown, io: Io, isVerbose: boolean): number {
  const [cause, advice] = error instanceof ErrorWithAdvice ? [error.cause, error.advice] : [error, undefined];
  if (cause instanceof OutputClosed) return exitCodes.done;
  const label = hasColors(io, io.stderr) ? styleText("red", "Error:", { validateStream: false }) : "Error:";
  io.stderr.write(`${cause instanceof Interruption ? "" : `${label} `}${printable(messageOf(cause))}\n`);
  if (advice !== undefined) printMessage(io, advice);
  if (isVerbose && cause instanceof Error && cause.cause !== undefined) {
    printMessage(io, `Cause: ${describe(cause.cause)}`);
  }
  return exitCodeOf(cause);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption || error instanceof EndError) return error.exitCode;
  if (error instanceof UsageError || ArgumentError.is(error)) return exitCodes.usage;
  if (error instanceof IncompleteError || PaginationError.is(error)) return exitCodes.incomplete;
  return RateLimitError.is(error) ? exitCodes.rateLimited : exitCodes.failed;
}

/** The message on one line, with flags in the place of the client's options. */
const messageOf = (error: unknown): string =>
  withFlagNames(error instanceof Error && error.message !== "" ? error.message : describe(error)).replaceAll(
    /\s*\n\s*/g,
    " ",
  );
