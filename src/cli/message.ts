import type { Io } from "./io.js";
import { printable } from "./output/printable.js";
import { stdoutWriter } from "./output/stdout.js";

/** Prints a line to stderr. Text of a node in it cannot control the terminal. */
export function printMessage({ stderr }: Pick<Io, "stderr">, text: string): void {
  stderr.write(`${printable(text)}\n`);
}

/** Prints a text to stdout. Rejects if it cannot be written. */
export const print = ({ stdout }: Io, text: string): Promise<void> => stdoutWriter(stdout)(text);
