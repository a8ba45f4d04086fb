import { sleep } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { NotShown } from "../http/demand.js";

/** How often a request is repeated at once: behind one address, the next node may have what this one lacks. */
const repeats = 2;
const [shortestWait, longestWait] = [250, 1000];

/**
 * Repeats a request until its response shows what is demanded: a block is waited for, a place is asked for at once again.
 *
 * @param catchUp - How long a block is waited for, in milliseconds.
 * @throws {@link NotShown} if no response shows it.
 */
export async function untilShown<T>(
  send: () => Promise<T>,
  { clock, catchUp, signal }: { clock: Clock; catchUp: number; signal: AbortSignal },
): Promise<T> {
  let deadline: number | undefined;
  let isBehind = false;
  for (let count = 0; ; count++) {
    try {
      return await send();
    } catch (error) {
      if (!NotShown.is(error) || error.lack === "history") throw error;
      deadline ??= clock.now() + catchUp;
      // A node that has the place may only have to catch up.
      isBehind ||= error.lack === "block";
      const isLast = isBehind ? clock.now() >= deadline : count >= repeats;
      if (isLast) throw error;
      const wait = count < repeats ? 0 : Math.min(longestWait, shortestWait * 2 ** (count - repeats));
      if (wait > 0) await sleep(clock, Math.min(wait, Math.max(1, deadline - clock.now())), signal);
    }
  }
}
