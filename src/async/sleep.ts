import { onAbort } from "./abort.js";
import type { Clock } from "./clock.js";

/** Waits for some milliseconds. Rejects with the reason of the signal as soon as that is aborted. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const unsubscribe = onAbort(signal, () => {
      cancelTimer();
      reject(signal.reason);
    });
    const cancelTimer = clock.after(milliseconds, () => {
      unsubscribe();
      resolve();
    });
  });
}
