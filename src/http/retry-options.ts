import { milliseconds, nested, type OptionCheck, positiveInteger } from "../arguments/check-options.js";

/** Number and timing of the attempts of a read. */
export interface RetryOptions {
  /**
   * The number of attempts, including the first.
   *
   * @default 4
   */
  attempts?: number | undefined;
  /**
   * Upper bound of the first wait, in milliseconds. It doubles with each attempt; the wait is a random part of it.
   *
   * @default 250
   */
  baseDelay?: number | undefined;
  /**
   * Upper bound of each such wait, in milliseconds.
   *
   * @default 8000
   */
  maxDelay?: number | undefined;
  /**
   * The longest wait that the headers of a response can cause, in milliseconds. If an error response asks for a longer one, the call
   * rejects immediately. If a rate limit asks for a longer one, the request is not held back.
   *
   * @default 30_000
   */
  maxRetryAfter?: number | undefined;
}

const retryObject = nested<RetryOptions>(
  { attempts: positiveInteger, baseDelay: milliseconds, maxDelay: milliseconds, maxRetryAfter: milliseconds },
  "an object or false",
);

export const retryCheck: OptionCheck = (value, place) => {
  if (value !== false) retryObject(value, place);
};
