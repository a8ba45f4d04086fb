import { CursorError } from "../cursor.js";
import { dataNodeError, type NodeError } from "../errors.js";

/** The error details of a list: a number and a text. */
export interface ListFailure {
  code: number;
  message: string;
}

/** The error of an id that is neither hexadecimal nor a well-known name. */
export const invalidId = (failure: ListFailure, id: string): NodeError =>
  dataNodeError(3, { ...failure, inner: `decoding '${id}': not a valid hex id (or well known exception)` });

/** Runs the parser of a cursor; what it rejects becomes the error of the list, with status 500. */
export function parsing<T>(failure: ListFailure, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CursorError)
      throw dataNodeError(13, { ...failure, inner: `parsing cursor: ${error.message}` });
    throw error;
  }
}
