/** The exit codes of the program. An interrupted program has that of its signal, as in 130 for SIGINT. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  incomplete: 3,
  rejected: 4,
  rateLimited: 5,
} as const;

/** The command cannot be run as it was entered. Nothing was sent or written. */
export class UsageError extends Error {}

/** The records that were read are not all that were requested. */
export class IncompleteError extends Error {}

/** Shows a value that was entered, shortened if it is long. */
export const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
