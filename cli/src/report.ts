import { styleText } from "node:util";
import { causesOf, ErrorWithAdvice, ExitError, exitCodes } from "./errors.js";
import { hasColors, Interruption, type Io, OutputClosed, printable, printMessage } from "./io.js";

/** Prints an error, and returns the exit code. */
export async function report(error: unknown, io: Io, isVerbose: boolean): Promise<number> {
  const [cause, advice] = error instanceof ErrorWithAdvice ? [error.cause, error.advice] : [error, undefined];
  if (cause instanceof OutputClosed) return exitCodes.done;
  const { text, exitCode } = await describe(cause);
  const label = hasColors(io, io.stderr) ? styleText("red", "Error:", { validateStream: false }) : "Error:";
  const message = printable(`${cause instanceof Interruption ? "" : "Error: "}${text}`);
  io.stderr.write(`${message.replace(/^Error:/, label)}\n`);
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
  const code = ArgumentError.is(error) ? "usage" : PaginationError.is(error) ? "incomplete" : "failed";
  return { text: withFlagNames(text), exitCode: exitCodes[RateLimitError.is(error) ? "rateLimited" : code] };
}
