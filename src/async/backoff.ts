export interface BackoffOptions {
  /** The longest wait after the first failure, in milliseconds. It doubles with each further one. */
  baseDelay: number;
  maxDelay: number;
  /** Returns a number from 0 up to, but not including, 1. */
  random: () => number;
}

/** The wait after so many failed attempts: a random part of the backoff ("full jitter"), so that many clients do not return at once. */
export const backoff = (attempt: number, { baseDelay, maxDelay, random }: BackoffOptions): number =>
  random() * Math.min(maxDelay, baseDelay * 2 ** (attempt - 1));
