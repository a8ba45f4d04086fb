import type { operations } from "../generated/openapi.js";
import { listNames, type Place, refuse, refuseSecret, show } from "./arguments/refuse.js";
import { ArgumentError } from "./errors/index.js";
import type { ObserverEvent } from "./http/events.js";

/** Header names and values. A header with the value `undefined` is omitted. */
export type HeaderValues =
  | Headers
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | undefined };

/** Number and timing of the attempts of a read. */
export interface RetryOptions {
  /**
   * The number of attempts, including the first.
   *
   * @default 4
   */
  attempts?: number | undefined;
  /**
   * Upper bound of the first wait, in milliseconds. It doubles with each attempt; the wait is a random part of it.
   *
   * @default 250
   */
  baseDelay?: number | undefined;
  /**
   * Upper bound of each such wait, in milliseconds.
   *
   * @default 8000
   */
  maxDelay?: number | undefined;
  /**
   * The longest wait that the headers of a response can cause, in milliseconds. If an error response asks for a longer one, the call
   * rejects immediately. If a rate limit asks for a longer one, the request is not held back.
   *
   * @default 30_000
   */
  maxRetryAfter?: number | undefined;
}

/** Deadlines, retries and limits of a client or of one call. */
export interface AttemptOptions {
  /**
   * The deadline of one attempt, including its body, in milliseconds. `Infinity` sets no deadline.
   *
   * @default 30_000
   */
  timeout?: number | undefined;
  /**
   * The deadline of a call with all its attempts and waits, in milliseconds. `Infinity` sets no deadline.
   *
   * @default Infinity
   */
  totalTimeout?: number | undefined;
  /**
   * How reads are retried; `false` makes one attempt. The check of a transaction is never retried.
   *
   * @example
   * ```ts
   * await client.getSpamStatistics({ partyId }, { retry: { attempts: 2 } });
   * ```
   */
  retry?: RetryOptions | false | undefined;
  /**
   * The largest body that is accepted, in bytes after decompression. A larger one ends the call with a `ResponseError` as soon as the
   * limit is exceeded, whatever the status. `Infinity` sets no limit.
   *
   * @default 67_108_864
   * @example
   * ```ts
   * createClient({ baseUrl, maxResponseSize: 8 * 1024 * 1024 });
   * ```
   */
  maxResponseSize?: number | undefined;
}

/** Options of one call. */
export interface CallOptions extends AttemptOptions {
  /** Aborts the call, whatever it is waiting for: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Headers of this call. They override those of the client. */
  headers?: HeaderValues | undefined;
}

/**
 * Checks a response before the caller gets its result. What it throws rejects the call. If it returns a promise, the call waits for it and
 * rejects if it rejects; deadlines and signals include that wait.
 */
export type Validate = (received: {
  operation: keyof operations;
  calledBy: string;
  body: unknown;
  response: Response;
  attempts: number;
}) => void;

/** Options of a client. */
export interface ClientOptions extends AttemptOptions {
  /**
   * The address of the node. It can have a path; a `/` or `/api/v2` at its end is ignored.
   *
   * @example "https://node.example/datanode"
   */
  baseUrl: string | URL;
  /** Headers of every request, including those of `client.http`. */
  headers?: HeaderValues | undefined;
  /**
   * Sends the requests. Default: the global `fetch` at the time of each request.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, fetch: (request) => fetch(request, { cache: "no-store" }) });
   * ```
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Whether requests are held back before the node rejects them, according to the rate limit that its responses name (observed on v0.74
   * nodes). While the node bans the client, calls reject immediately and nothing is sent.
   *
   * @default true
   */
  pacing?: boolean | undefined;
  /**
   * Called with an event for every attempt, response, retry and pause. What it throws, or a promise that rejects, is ignored.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, observe: ({ type, operation, attempt }) => console.debug(operation, type, attempt) });
   * ```
   */
  observe?: ((event: ObserverEvent) => void) | undefined;
  /**
   * Checks each response beyond its envelope, such as the function that `validateAnswers` of `vegaprotocol-client/validate` returns.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, validate: validateAnswers({ onMismatch: "throw" }) });
   * ```
   */
  validate?: Validate | undefined;
}

/** The options of a call with all defaults. */
export interface Settings {
  timeout: number;
  totalTimeout: number;
  attempts: number;
  baseDelay: number;
  maxDelay: number;
  maxRetryAfter: number;
  maxResponseSize: number;
}

export const defaultSettings: Settings = {
  timeout: 30_000,
  totalTimeout: Number.POSITIVE_INFINITY,
  attempts: 4,
  baseDelay: 250,
  maxDelay: 8000,
  maxRetryAfter: 30_000,
  maxResponseSize: 67_108_864,
};

const attemptNames = ["timeout", "totalTimeout", "retry", "maxResponseSize"];
const callNames = [...attemptNames, "signal", "headers"];
export const listingNames = [...callNames, "maxItems", "readAhead"];
export const scanNames = [...callNames, "order", "maxItems", "concurrency", "pageSize", "missingHistory"];
const clientNames = [...attemptNames, "baseUrl", "headers", "fetch", "pacing", "observe", "validate"];
const retryNames = ["attempts", "baseDelay", "maxDelay", "maxRetryAfter"] as const;

/** Checks the options of a client, and adds the defaults. */
export function readClientOptions(options: ClientOptions) {
  checkNames(undefined, "createClient", options, clientNames);
  const { baseUrl, headers, fetch, pacing = true, observe, validate } = options;
  if (typeof pacing !== "boolean") refuse({ argument: "pacing" }, "a boolean", pacing);
  for (const [argument, value] of Object.entries({ fetch, observe, validate })) {
    if (value !== undefined && typeof value !== "function") refuse({ argument }, "a function", value);
  }
  const all = readHeaders(undefined, headers);
  if (!all.has("accept")) all.set("accept", "application/json");
  return {
    baseUrl: readBaseUrl(baseUrl),
    headers: all,
    // Looked up for each request, because tests and tracers replace the global `fetch` later.
    fetch: fetch ?? ((request: Request) => globalThis.fetch(request)),
    pacing,
    observe,
    validate,
    settings: readAttemptOptions(undefined, options, defaultSettings),
  };
}

/** Checks the options of a call, and adds those of its client as defaults. */
export function readCallOptions(
  operation: string,
  options: CallOptions | undefined,
  settings: Settings,
  names: readonly string[] = callNames,
) {
  if (options === undefined) return { settings, signal: undefined, headers: undefined };
  checkNames(operation, operation, options, names);
  const { signal, headers } = options;
  if (signal !== undefined && !isSignal(signal)) refuse({ operation, argument: "signal" }, "an AbortSignal", signal);
  return {
    settings: readAttemptOptions(operation, options, settings),
    signal,
    headers: headers === undefined ? undefined : readHeaders(operation, headers),
  };
}

/** Returns whether a value is an AbortSignal. `instanceof` does not recognise signals of another realm. */
function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

function readAttemptOptions(operation: string | undefined, options: AttemptOptions, defaults: Settings): Settings {
  const { timeout, totalTimeout, retry, maxResponseSize } = options;
  return {
    ...defaults,
    ...(timeout !== undefined && { timeout: readTimeout({ operation, argument: "timeout" }, timeout) }),
    ...(totalTimeout !== undefined && {
      totalTimeout: readTimeout({ operation, argument: "totalTimeout" }, totalTimeout),
    }),
    ...(maxResponseSize !== undefined && { maxResponseSize: readSize(operation, maxResponseSize) }),
    ...(retry === false ? { attempts: 1 } : retry !== undefined && readRetry(operation, retry)),
  };
}

/** The longest timer of all runtimes, in milliseconds. A longer one fires immediately. */
const longestTimer = 2 ** 31 - 1;

function readTimeout(place: Place, value: unknown): number {
  if (!(typeof value === "number" && value > 0)) return refuse(place, "a positive number of milliseconds", value);
  if (value <= longestTimer || value === Number.POSITIVE_INFINITY) return value;
  return refuse(place, `at most ${longestTimer} milliseconds, or Infinity`, value);
}

function readSize(operation: string | undefined, value: unknown): number {
  if ((Number.isSafeInteger(value) && Number(value) > 0) || value === Number.POSITIVE_INFINITY) return Number(value);
  return refuse({ operation, argument: "maxResponseSize" }, "a positive integer of bytes, or Infinity", value);
}

function readRetry(operation: string | undefined, retry: RetryOptions): Partial<Settings> {
  if (typeof retry !== "object" || retry === null) {
    refuse({ operation, argument: "retry" }, "an object or false", retry);
  }
  checkNames(operation, "retry", retry, retryNames);
  const settings: Partial<Settings> = {};
  for (const name of retryNames) {
    const value = retry[name];
    if (value === undefined) continue;
    const place = { operation, argument: `retry.${name}` };
    if (name === "attempts") {
      if (!(Number.isSafeInteger(value) && value > 0)) refuse(place, "a positive integer", value);
    } else if (!(typeof value === "number" && value >= 0 && value <= longestTimer)) {
      refuse(place, `a number of milliseconds from 0 to ${longestTimer}`, value);
    }
    settings[name] = value;
  }
  return settings;
}

function readHeaders(operation: string | undefined, values: HeaderValues = {}): Headers {
  if (typeof values !== "object" || values === null) {
    refuse({ operation, argument: "headers" }, "an object, Headers or pairs", values);
  }
  const headers = new Headers();
  try {
    for (const [name, value] of Symbol.iterator in values ? values : Object.entries(values)) {
      if (value !== undefined) headers.set(name, value);
    }
  } catch {
    // The message of the runtime is not used, because it contains the value.
    refuseSecret({ operation, argument: "headers" }, "names and values that HTTP allows");
  }
  return headers;
}

function readBaseUrl(baseUrl: unknown): string {
  const place = { argument: "baseUrl" };
  const expected = 'an address such as "https://node.example"';
  // A relative address works in a browser, where the server of a page often forwards requests to a node.
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  const url = parseUrl(baseUrl, page);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return typeof baseUrl === "string" && !isPlainUrl.test(baseUrl)
      ? refuseSecret(place, `${expected}. The value is not shown, because it may contain credentials`)
      : refuse(place, expected, baseUrl);
  }
  if (url.username !== "" || url.password !== "") {
    refuseSecret(place, "an address without credentials, which `fetch` does not accept. Use `headers`");
  }
  if (url.search !== "" || url.hash !== "") refuseSecret(place, "an address without query and fragment");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/(?:\/+api\/+v2)$/, "");
}

/** An optional scheme, a host, an optional port and an optional path. Such an address cannot contain credentials. */
const isPlainUrl = /^(?:[a-z][a-z\d+.-]*:\/\/)?[\w.-]*(?::\d+)?(?:\/[\w./-]*)?$/i;

function parseUrl(value: unknown, base: string | undefined): URL | undefined {
  try {
    return new URL(value as string, base);
  } catch {
    return undefined;
  }
}

/** Rejects unknown names: a misspelt option would have no effect. */
function checkNames(operation: string | undefined, of: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new ArgumentError(`Expected the options of ${of} to be an object, got ${show(options)}.`, {
      operation,
      argument: "options",
    });
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    throw new ArgumentError(`${of} has no option \`${name}\`. Expected ${listNames(names)}.`, {
      operation,
      argument: name,
    });
  }
}
