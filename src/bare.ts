import type { Client } from "openapi-fetch";
import type { ClientOptions } from "./options.js";

/** A `fetch` that takes an address and the rest as well as a Request. */
export type BareFetch = (input: Request | string, init?: RequestInit) => Promise<Response>;

/** What a request is ended by: it has a signal, and is one to those who only listen. */
export interface Stoppable extends Pick<AbortSignal, "aborted" | "reason"> {
  readonly signal: AbortSignal;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * What openapi-fetch makes in place of a Request, and what `fetch` takes beside its address: it makes a Request of its own
 * anyway, and on Node.js 20 making one takes longer than all the rest of openapi-fetch.
 */
export class BareRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly redirect: Request["redirect"];
  /** What ends the request, once it is to leave. */
  sentBy: Stoppable | undefined;

  constructor(url: string, { method, headers, body, redirect }: Request) {
    this.url = url;
    this.method = method;
    this.headers = headers;
    this.body = (body ?? null) as string | null;
    this.redirect = redirect;
    this.sentBy = undefined;
  }

  get signal(): AbortSignal | null {
    return this.sentBy?.signal ?? null;
  }
}

/** As the platform brought it, before anything else took its place. */
const platformFetch: BareFetch = globalThis.fetch;

/** On a `fetch` that takes bare requests. A registered symbol is known to every copy of this package. */
const mark = Symbol.for("vegaprotocol-client.bareFetch");

export function markBare(fetch: BareFetch): BareFetch {
  return Object.assign(fetch, { [mark]: true });
}

/**
 * Tells which `fetch` gets bare requests at the time; `undefined` where Requests are made. A caller's own, and what took
 * the place of the global one, count on a Request, and middleware looks at it.
 */
export function bareFetchOf(fetch: ClientOptions["fetch"], http: Pick<Client<object>, "use">) {
  const own = fetch !== undefined && (fetch === platformFetch || mark in fetch) ? (fetch as BareFetch) : undefined;
  // openapi-fetch keeps it to itself.
  let hasMiddleware = false;
  const { use } = http;
  http.use = (...middleware) => {
    hasMiddleware = true;
    use(...middleware);
  };
  return (): BareFetch | undefined => {
    if (hasMiddleware) return undefined;
    return fetch === undefined && globalThis.fetch === platformFetch ? platformFetch : own;
  };
}
