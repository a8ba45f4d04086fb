/** Time, as it is needed for waits and deadlines. Tests bring their own. */
export interface Clock {
  /** Milliseconds that only grow: for measuring how long something takes. */
  now(): number;
  /** Milliseconds since 1970: for dates that a server names. */
  date(): number;
  /** Calls back after some milliseconds; what it returns takes that back. */
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
