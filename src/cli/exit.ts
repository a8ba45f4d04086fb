/** The exit codes of the program. An interrupted program has that of its signal, as in 130 for SIGINT. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  incomplete: 3,
  rejected: 4,
  rateLimited: 5,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command cannot be run as it was entered. Nothing was sent or written. */
export class UsageError extends Error {}

/** The records that were read are not all that were requested. */
export class IncompleteError extends Error {}

/** The command cannot be completed, with an exit code of its own. */
export class EndError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Shows a value that was entered, shortened if it is long. */
export const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
