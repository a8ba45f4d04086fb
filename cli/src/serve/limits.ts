/**
 * A limit in all, and for each caller. Requests beyond it are refused.
 *
 * @param mostOf - The limit for a caller, by the number of active callers.
 */
export function createQuota(most: number, mostOf: (callers: number) => number) {
  const callers = new Map<string, number>();
  let all = 0;
  const of = (caller: string) => callers.get(caller) ?? 0;
  const change = (caller: string, amount: number) => {
    all += amount;
    callers.set(caller, of(caller) + amount);
    if (of(caller) === 0) callers.delete(caller);
  };
  return {
    of,
    all: () => all,
    take(caller: string, amount = 1): boolean {
      const isTaken = all + amount <= most && of(caller) + amount <= mostOf(callers.size);
      if (isTaken) change(caller, amount);
      return isTaken;
    },
    release: (caller: string, amount = 1): void => change(caller, -amount),
  };
}

/** A limit that one caller cannot use up: beyond it, the caller with the most loses its oldest part. */
export function createShare<Holder extends { destroy(): unknown }>(most: number) {
  const parts = new Map<Holder, readonly [caller: string, amount: number]>();
  const { of, all, take, release } = createQuota(Number.POSITIVE_INFINITY, () => Number.POSITIVE_INFINITY);
  function remove(holder: Holder): void {
    const part = parts.get(holder);
    if (part) release(...part);
    parts.delete(holder);
  }
  return {
    of,
    remove,
    holders: () => [...parts.keys()],
    add(holder: Holder, caller: string, amount = 1): void {
      parts.set(holder, [caller, amount]);
      take(caller, amount);
      while (all() > most) {
        const [loser] = [...parts].reduce((first, part) => (of(part[1][0]) > of(first[1][0]) ? part : first));
        remove(loser);
        loser.destroy();
      }
    },
  };
}

interface Turn {
  readonly caller: string;
  readonly weight: number;
  readonly start: () => void;
}

/**
 * Decides which read of the nodes is next, within a total weight and a weight for each caller: the latest read of the
 * caller with the fewest open requests; among equals, of the one with the least running, then of the one that waits
 * longest. Under load, earlier reads have less time left.
 *
 * @param openOf - How many requests of a caller have no response yet.
 */
export function createTurns(most: number, mostOfCaller: number, openOf: (caller: string) => number) {
  const running = createQuota(most, () => mostOfCaller);
  const waiting = new Set<Turn>();
  const compare = (a: string, b: string) => openOf(a) - openOf(b) || running.of(a) - running.of(b);

  function startNext(): void {
    if (running.all() >= most) return;
    let next: Turn | undefined;
    for (const turn of waiting) {
      const hasShare = running.of(turn.caller) + turn.weight <= mostOfCaller;
      const isNext = next === undefined || next.caller === turn.caller || compare(turn.caller, next.caller) < 0;
      if (hasShare && isNext) next = turn;
    }
    // It waits for room, and no lighter one takes it.
    if (next === undefined || !running.take(next.caller, next.weight)) return;
    waiting.delete(next);
    next.start();
    startNext();
  }

  return {
    /** Rejects with the signal's reason if it aborts before the task has begun. */
    async run<T>(caller: string, weight: number, signal: AbortSignal, task: () => PromiseLike<T>): Promise<T> {
      await new Promise<void>((resolve, reject) => {
        const turn = { caller, weight, start: resolve };
        signal.addEventListener("abort", () => waiting.delete(turn) && reject(signal.reason), { once: true });
        waiting.add(turn);
        startNext();
      });
      try {
        signal.throwIfAborted();
        return await task();
      } finally {
        running.release(caller, weight);
        startNext();
      }
    },
  };
}
