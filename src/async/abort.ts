import type { Clock } from "./clock.js";

/*
 * Everything that waits ends at once when its signal is aborted, whatever it waits for. There is one way to do so,
 * `within`: it starts a task with a signal of its own, and settles as the task does, unless it ends it before. The
 * functions below are short for uses of it.
 */

const callbacksOf = new WeakMap<object, Set<() => void>>();

function callBack({ target }: Event): void {
  for (const callback of [...(callbacksOf.get(target as AbortSignal) ?? [])]) callback();
}

/**
 * Calls back when a signal is aborted. The returned function unsubscribes.
 *
 * All subscriptions share one listener, and adding it again has no effect: Node.js warns about more than ten listeners
 * on a signal, and adding or removing one takes longer the more there are. After the last subscription, no
 * listener is left on the signal.
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = callbacksOf.get(signal) ?? new Set();
  callbacksOf.set(signal, callbacks.add(callback));
  signal.addEventListener("abort", callBack);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener("abort", callBack);
  };
}

interface Limits {
  signals?: readonly (AbortSignal | undefined)[];
  /** Aborts the signal of the task. Default: a new one. */
  controller?: AbortController;
  /** When its time is over, and the reason. Default: never. */
  deadline?: { clock: Clock; milliseconds: number; late: () => unknown };
}

/**
 * Runs a task with a signal of its own. It ends at once when its time is over or another signal is aborted, even if it
 * ignores signals. No async function, which would be a line of each stack.
 */
export function within<T>(
  { signals = [], controller = new AbortController(), deadline }: Limits,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const aborted = signals.find((signal) => signal?.aborted);
  if (aborted) return Promise.reject(aborted.reason);
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const result = new Promise<T>((...functions) => {
    [resolve, reject] = functions;
  });
  const end = (reason: unknown) => {
    controller.abort(reason);
    reject(reason);
  };
  // An abandoned task leaves no listener on a signal that lives on.
  const stops = signals.map((signal) => signal && onAbort(signal, () => end(signal.reason)));
  if (deadline && deadline.milliseconds < Number.POSITIVE_INFINITY) {
    stops.push(deadline.clock.after(deadline.milliseconds, () => end(deadline.late())));
  }
  task(controller.signal).then(resolve, reject);
  return result.finally(() => {
    for (const stop of stops) stop?.();
  });
}

/** Waits for a promise, and rejects as soon as a signal is aborted. */
export const orAborted = <T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> =>
  within({ signals: [signal] }, () => promise);

/** Starts something that ends when a signal is aborted, or a controller that others share. */
export const untilAborted = <T>(
  signal: AbortSignal | undefined,
  controller: AbortController,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T> => within({ signals: [signal, controller.signal] }, start);

/** Waits for some milliseconds, or rejects as soon as a signal is aborted. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let cancelTimer = () => {};
  const wait = () =>
    new Promise<void>((resolve) => {
      cancelTimer = clock.after(milliseconds, resolve);
    });
  return within({ signals: [signal] }, wait).finally(() => cancelTimer());
}
