interface Listener {
  readonly callbacks: Set<(reason: unknown) => void>;
  readonly notify: () => void;
}

const listeners = new WeakMap<AbortSignal, Listener>();

/**
 * Calls back when a signal aborts, until the returned function is called. All callbacks of a signal share one listener:
 * Node.js prints a MaxListenersExceededWarning from the eleventh on.
 */
export function onAbort(signal: AbortSignal, callback: (reason: unknown) => void): () => void {
  const { callbacks, notify } = listeners.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || listeners.get(signal)?.callbacks !== callbacks) return;
    listeners.delete(signal);
    signal.removeEventListener("abort", notify);
  };
}

function listen(signal: AbortSignal): Listener {
  const callbacks = new Set<(reason: unknown) => void>();
  const notify = () => {
    for (const callback of [...callbacks]) callback(signal.reason);
  };
  const listener = { callbacks, notify };
  listeners.set(signal, listener);
  signal.addEventListener("abort", notify);
  return listener;
}
