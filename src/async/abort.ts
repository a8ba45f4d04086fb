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

/** Waits for what is started, and rejects at once on an abort, also if it does not listen to its signal. */
export async function untilAborted<P>(
  signal: AbortSignal | undefined,
  controller: AbortController,
  start: (signal: AbortSignal) => Promise<P>,
): Promise<P> {
  signal?.throwIfAborted();
  controller.signal.throwIfAborted();
  // Only while a request is in flight: a walk that is abandoned leaves no listener on a signal that lives on.
  const removeListener = signal && onAbort(signal, () => controller.abort(signal.reason));
  let removeRejection: (() => void) | undefined;
  try {
    return await new Promise<P>((resolve, reject) => {
      removeRejection = onAbort(controller.signal, () => reject(controller.signal.reason));
      start(controller.signal).then(resolve, reject);
    });
  } finally {
    removeListener?.();
    removeRejection?.();
  }
}
