import type { Clock } from "./clock.js";

/** The subscriptions to a signal, and the listener that they share. */
interface Subscriptions {
  callbacks: Set<() => void>;
  listener: () => void;
}

const subscriptionsOf = new WeakMap<AbortSignal, Subscriptions>();

/**
 * Calls back when a signal is aborted. The returned function unsubscribes.
 *
 * All subscriptions share one listener: Node.js warns about more than ten listeners on a signal, and adding or removing one
 * takes longer the more there are. After the last subscription, no listener is left on the signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = subscriptionsOf.get(signal) ?? subscribe(signal);
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    subscriptionsOf.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}

function subscribe(signal: AbortSignal): Subscriptions {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of [...callbacks]) callback();
  };
  signal.addEventListener("abort", listener);
  const subscriptions = { callbacks, listener };
  subscriptionsOf.set(signal, subscriptions);
  return subscriptions;
}

/**
 * Waits for a promise, and rejects as soon as the signal is aborted, also if what was started does not listen to the signal. No async
 * function, which would be a line of each stack.
 */
export function orAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let unsubscribe = () => {};
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    unsubscribe = onAbort(signal, () => reject(signal.reason));
  });
  return Promise.race([promise, aborted]).finally(unsubscribe);
}

/** Starts something with a signal that is aborted together with another one, and waits for it in the same way. */
export function untilAborted<T>(
  signal: AbortSignal | undefined,
  controller: AbortController,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { aborted, reason } = signal?.aborted ? signal : controller.signal;
  if (aborted) return Promise.reject(reason);
  // Only while a request is in flight: a walk that is abandoned leaves no listener on a signal that lives on.
  const stop = signal && onAbort(signal, () => controller.abort(signal.reason));
  const stopOnAbort = stop && onAbort(controller.signal, stop);
  const result = orAborted(controller.signal, start(controller.signal));
  if (!stop) return result;
  return result.finally(() => {
    stop();
    stopOnAbort?.();
  });
}

/** Waits for some milliseconds. Rejects with the reason of the signal as soon as that is aborted. */
export async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let cancelTimer = () => {};
  const pause = new Promise<void>((resolve) => {
    cancelTimer = clock.after(milliseconds, resolve);
  });
  try {
    await (signal ? orAborted(signal, pause) : pause);
  } finally {
    cancelTimer();
  }
}
