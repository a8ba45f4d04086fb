import { styleText } from "node:util";
import { causesOf, ErrorWithAdvice, ExitError, exitCodes } from "./errors.js";
import { hasColors, Interruption, type Io, isTerminal, OutputClosed, printable, printMessage, widthOf } from "./io.js";

/** Prints an error, and returns the exit code. */
export async function report(error: unknown, io: Io, isVerbose: boolean): Promise<number> {
  const [cause, advice] = error instanceof ErrorWithAdvice ? [error.cause, error.advice] : [error, undefined];
  if (cause instanceof OutputClosed) return exitCodes.done;
  const { text, exitCode } = await describe(cause);
  const label = hasColors(io, io.stderr) ? styleText("red", "Error:", { validateStream: false }) : "Error:";
  const message = printable(`${cause instanceof Interruption ? "" : "Error: "}${text}`);
  // Commands and addresses are not divided, so that they can be copied.
  const lines = isTerminal(io, io.stderr) ? wrap(message, widthOf(io.stderr)) : [message];
  io.stderr.write(`${lines.join("\n").replace(/^Error:/, label)}\n`);
  for (const line of advice?.split("\n") ?? []) printMessage(io, line);
  if (isVerbose && cause instanceof Error && cause.cause !== undefined) {
    printMessage(
      io,
      `Cause: ${causesOf(cause.cause)
        .map(({ message }) => message)
        .join(": ")}`,
    );
  }
  return exitCode;
}

async function describe(error: unknown): Promise<{ text: string; exitCode: number }> {
  const text = (error instanceof Error && error.message !== "" ? error.message : String(error)).replaceAll(
    /\s*\n\s*/g,
    " ",
  );
  if (error instanceof Interruption || error instanceof ExitError) return { text, exitCode: error.exitCode };
  const { ArgumentError, PaginationError, RateLimitError, VegaError } = await import("vegaprotocol-client");
  if (!VegaError.is(error)) return { text, exitCode: exitCodes.failed };
  const { withFlagNames } = await import("./arguments.js");
  return {
    text: withFlagNames(text),
    exitCode: ArgumentError.is(error)
      ? exitCodes.usage
      : PaginationError.is(error)
        ? exitCodes.incomplete
        : RateLimitError.is(error)
          ? exitCodes.rateLimited
          : exitCodes.failed,
  };
}

/** Divides a text into lines between words. A longer word has a line of its own. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
