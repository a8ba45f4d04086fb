import { type NodeLimits, newLimits } from "./node-limits.js";

type Fetch = (request: Request) => Promise<Response>;

/** What is needed of a `WeakRef`, which older releases of workerd do not have. */
interface Reference<T> {
  deref(): T | undefined;
}

type Registry = WeakMap<Fetch, Map<string, Reference<NodeLimits>>>;

/** Where all copies of this package in a program keep the limits. The number changes with the members of `NodeLimits`. */
const registry = Symbol.for("vegaprotocol-client.limits.2");

/**
 * Returns the rate limit that all clients of one origin share, if they send with the same function. A node counts the requests of one
 * address together, so that two limits would allow twice the rate. It is dropped with the last client.
 */
export function sharedLimits(fetch: Fetch, origin: string): NodeLimits {
  const shared = globalThis as { [registry]?: Registry };
  shared[registry] ??= new WeakMap();
  const origins = shared[registry].get(fetch) ?? new Map<string, Reference<NodeLimits>>();
  shared[registry].set(fetch, origins);
  const known = origins.get(origin)?.deref();
  if (known) return known;
  const limits = newLimits();
  origins.set(origin, typeof WeakRef === "function" ? new WeakRef(limits) : { deref: () => limits });
  return limits;
}
