import type { Clock } from "./clock.js";
import { ignore } from "./item-iterator.js";

const callbacksOf = new WeakMap<object, Set<() => void>>();

function callBack({ target }: Event): void {
  for (const callback of [...(callbacksOf.get(target as AbortSignal) ?? [])]) callback();
}

/**
 * Calls back when a signal is aborted. The returned function unsubscribes.
 *
 * All subscriptions share one listener, which adding it again does not repeat: Node.js warns about more than ten listeners on a signal,
 * and adding or removing one takes longer the more there are. After the last subscription, no listener is left on the signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = callbacksOf.get(signal) ?? new Set();
  callbacksOf.set(signal, callbacks.add(callback));
  signal.addEventListener("abort", callBack);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener("abort", callBack);
  };
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
  // At once, also if what ends the request is no abort of that signal.
  const stopOnAbort = stop && onAbort(controller.signal, stop);
  return orAborted(controller.signal, start(controller.signal)).finally(() => {
    stop?.();
    stopOnAbort?.();
  });
}

/** What ends a task before it has ended by itself. */
interface Limits {
  signal: AbortSignal | undefined;
  clock: Clock;
  milliseconds: number;
  /** Returns the reason when the time is over. */
  late: () => unknown;
}

/** Runs a task with a signal of its own. It ends at once when its time is over or the other signal is aborted, even if it ignores signals. */
export async function within<T>(
  { signal, clock, milliseconds, late }: Limits,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let settle: [resolve: (value: T) => void, reject: (reason: unknown) => void] = [ignore, ignore];
  const result = new Promise<T>((...functions) => {
    settle = functions;
  });
  const end = (reason: unknown) => {
    controller.abort(reason);
    settle[1](reason);
  };
  const stop = signal && onAbort(signal, () => end(signal.reason));
  const isTimed = milliseconds < Number.POSITIVE_INFINITY;
  const cancelTimer = isTimed ? clock.after(milliseconds, () => end(late())) : undefined;
  try {
    task(controller.signal).then(...settle);
    return await result;
  } finally {
    stop?.();
    cancelTimer?.();
  }
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
