import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs a program to its end. Rejects if its exit code is not 0. */
export const run = promisify(execFile);
