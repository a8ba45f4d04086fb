/** The source of time for waits and deadlines. Tests pass their own. */
export interface Clock {
  /**
   * Whether a request must not wake another one, as in workerd: nothing that one request waits for may be settled by a timer, a
   * promise or a stream of another one.
   */
  readonly isolatesRequests?: boolean;
  /** Milliseconds that never decrease, for measuring durations. */
  now(): number;
  /** Milliseconds since 1970, for dates that a server names. */
  date(): number;
  /** Calls back after some milliseconds. The returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  // Names that only workerd and what is built on it have. It cancels a request that another one has woken, and later ones, too.
  isolatesRequests: "WebSocketPair" in globalThis || "EdgeRuntime" in globalThis,
  now: () => performance.now(),
  date: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
