/** Causes are followed this deep: a chain of them may lead back to its beginning. */
const deepest = 5;

/**
 * Returns the message of an error with those of its causes that it does not contain. Node.js says "fetch failed" and keeps the
 * specific message in the cause, or in the errors of an `AggregateError`.
 */
export const describe = (error: unknown): string => messagesOf(error).join(": ") || String(error);

/** Returns the name and the message of an error. */
export const toPlainError = (error: unknown): { name: string; message: string } =>
  error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: typeof error, message: describe(error) };

function messagesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth === deepest) return [];
  const inner = error instanceof AggregateError ? error.errors.map((each) => String(each?.message ?? each)) : [];
  const own = [error.message, ...inner].filter(Boolean).join(", ");
  const causes = messagesOf(error.cause, depth + 1).filter((message) => !own.includes(message));
  return own === "" ? causes : [own, ...causes];
}
