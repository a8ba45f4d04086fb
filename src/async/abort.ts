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

/** Waits for what is started, and rejects as soon as the signal is aborted, also if it does not listen to the signal. */
export async function orAborted<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
  const { aborted, ignore } = rejection(signal);
  try {
    return await Promise.race([start(), aborted]);
  } finally {
    ignore();
  }
}

/** The same, with a controller that is aborted together with the signal. */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  controller: AbortController,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  controller.signal.throwIfAborted();
  // Only while a request is in flight: a walk that is abandoned leaves no listener on a signal that lives on.
  const removeListener = signal && onAbort(signal, () => controller.abort(signal.reason));
  const { aborted, ignore } = rejection(controller.signal, removeListener);
  try {
    return await Promise.race([start(controller.signal), aborted]);
  } finally {
    ignore();
    removeListener?.();
  }
}

/** A promise that rejects when the signal is aborted, until it is ignored. */
function rejection(signal: AbortSignal, onReject?: () => void): { aborted: Promise<never>; ignore: () => void } {
  signal.throwIfAborted();
  let ignore: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    ignore = onAbort(signal, () => {
      reject(signal.reason);
      onReject?.();
    });
  });
  return { aborted, ignore };
}

/** Waits for some milliseconds. Rejects with the reason of the signal as soon as that is aborted. */
export async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const pause = () =>
    new Promise<void>((resolve) => {
      cancelTimer = clock.after(milliseconds, resolve);
    });
  let cancelTimer = () => {};
  try {
    await (signal ? orAborted(signal, pause) : pause());
  } finally {
    cancelTimer();
  }
}
