/** The source of time for waits and deadlines. Tests pass their own. */
export interface Clock {
  /** Milliseconds that never decrease, for measuring durations. */
  now(): number;
  /** Milliseconds since 1970, for dates that a server names. */
  date(): number;
  /** Calls back after some milliseconds. The returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
