import type { operations } from "../generated/openapi.js";
import { listNames, refuse, refuseSecret, show } from "./arguments/refuse.js";
import { ArgumentError } from "./errors/index.js";
import type { ObserverEvent } from "./observe.js";

/** Header names and values; `undefined` leaves one out. */
export type HeaderValues =
  | Headers
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | undefined };

/** When and how long to wait before a read is tried again. */
export interface RetryOptions {
  /**
   * How many tries there are, the first included.
   *
   * @default 4
   */
  attempts?: number | undefined;
  /**
   * Milliseconds that the first wait takes at the most. It doubles with every attempt, and the wait is a random part of it.
   *
   * @default 250
   */
  baseDelay?: number | undefined;
  /**
   * Milliseconds that no such wait exceeds.
   *
   * @default 8000
   */
  maxDelay?: number | undefined;
  /**
   * Milliseconds to wait at the most where the server says when to come back. Beyond it the error comes at once.
   *
   * @default 30_000
   */
  maxRetryAfter?: number | undefined;
}

/** Deadlines and retries, of a client or of one call. */
export interface AttemptOptions {
  /**
   * Milliseconds that one attempt may take, its body included. `Infinity` sets no limit.
   *
   * @default 30_000
   */
  timeout?: number | undefined;
  /**
   * Milliseconds that a call may take with all its attempts and waits. `Infinity` sets no limit.
   *
   * @default Infinity
   */
  totalTimeout?: number | undefined;
  /**
   * Which reads are tried again, and when; `false` tries once. The check of a transaction is sent once, whatever is
   * said here.
   *
   * @example
   * ```ts
   * await client.getSpamStatistics({ partyId }, { retry: { attempts: 2 } });
   * ```
   */
  retry?: RetryOptions | false | undefined;
}

/** Options of one call. */
export interface CallOptions extends AttemptOptions {
  /** Ends the call, whatever it waits for: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Headers for this call, in addition to those of the client and before them. */
  headers?: HeaderValues | undefined;
}

/** Looks at an answer before its caller gets it. What it throws ends the call. */
export type Validate = (answer: {
  operation: keyof operations;
  calledBy: string;
  body: unknown;
  response: Response;
  attempts: number;
}) => void;

/** Options of a client. */
export interface ClientOptions extends AttemptOptions {
  /**
   * Address of the node. A path in front of the node is kept; a `/` or `/api/v2` at the end is not doubled.
   *
   * @example "https://node.example/datanode"
   */
  baseUrl: string | URL;
  /** Headers of every request, those of `client.http` included. */
  headers?: HeaderValues | undefined;
  /**
   * Takes the place of the global `fetch`, which is otherwise looked up for each request. It gets a `Request`.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, fetch: (request) => fetch(request, { cache: "no-store" }) });
   * ```
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Whether requests are held back before the node refuses them, by the limits that it tells of (observed on v0.74 nodes).
   * While the node bans the client, calls end at once and nothing is sent.
   *
   * @default true
   */
  pacing?: boolean | undefined;
  /**
   * Is told of every attempt, answer, retry and pause, as plain data. What it throws is passed over.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, observe: ({ type, operation, attempt }) => console.debug(operation, type, attempt) });
   * ```
   */
  observe?: ((event: ObserverEvent) => void) | undefined;
  /**
   * Checks each answer, beyond its envelope: what `validateAnswers` of `vegaprotocol-client/validate` makes.
   *
   * @example
   * ```ts
   * createClient({ baseUrl, validate: validateAnswers({ onMismatch: "throw" }) });
   * ```
   */
  validate?: Validate | undefined;
}

/** What the options of a call amount to. */
export interface Settings {
  timeout: number;
  totalTimeout: number;
  attempts: number;
  baseDelay: number;
  maxDelay: number;
  maxRetryAfter: number;
}

export const defaultSettings: Settings = {
  timeout: 30_000,
  totalTimeout: Number.POSITIVE_INFINITY,
  attempts: 4,
  baseDelay: 250,
  maxDelay: 8000,
  maxRetryAfter: 30_000,
};

const attemptNames = ["timeout", "totalTimeout", "retry"];
const callNames = [...attemptNames, "signal", "headers"];
export const listingNames = [...callNames, "maxItems", "readAhead"];
export const scanNames = [...callNames, "order", "maxItems", "concurrency", "pageSize", "missingHistory"];
const clientNames = [...attemptNames, "baseUrl", "headers", "fetch", "pacing", "observe", "validate"];
const retryNames = ["attempts", "baseDelay", "maxDelay", "maxRetryAfter"] as const;

/** The options of a client, found right. */
export function readClientOptions(options: ClientOptions) {
  checkNames(undefined, "createClient", options, clientNames);
  const { baseUrl, headers, fetch, pacing = true, observe, validate } = options;
  if (fetch !== undefined && typeof fetch !== "function") refuse({ argument: "fetch" }, "a function", fetch);
  if (typeof pacing !== "boolean") refuse({ argument: "pacing" }, "a boolean", pacing);
  if (observe !== undefined && typeof observe !== "function") refuse({ argument: "observe" }, "a function", observe);
  if (validate !== undefined && typeof validate !== "function")
    refuse({ argument: "validate" }, "a function", validate);
  const all = readHeaders(undefined, headers);
  if (!all.has("accept")) all.set("accept", "application/json");
  return {
    baseUrl: readBaseUrl(baseUrl),
    headers: all,
    // Looked up for each request: tests and tracers put their own in place later.
    fetch: fetch ?? ((request: Request) => globalThis.fetch(request)),
    pacing,
    observe,
    validate,
    settings: readAttemptOptions(undefined, options, defaultSettings),
  };
}

/** The options of a call, found right, over those of its client. */
export function readCallOptions(
  operation: string,
  options: CallOptions | undefined,
  settings: Settings,
  names: readonly string[] = callNames,
) {
  if (options === undefined) return { settings, signal: undefined, headers: undefined };
  checkNames(operation, operation, options, names);
  const { signal, headers } = options;
  if (signal !== undefined && typeof signal?.aborted !== "boolean")
    refuse({ operation, argument: "signal" }, "an AbortSignal", signal);
  return {
    settings: readAttemptOptions(operation, options, settings),
    signal,
    headers: headers && readHeaders(operation, headers),
  };
}

function readAttemptOptions(operation: string | undefined, options: AttemptOptions, above: Settings): Settings {
  const { timeout, totalTimeout, retry } = options;
  if (timeout === undefined && totalTimeout === undefined && retry === undefined) return above;
  const settings = { ...above };
  for (const name of ["timeout", "totalTimeout"] as const) {
    const value = options[name];
    if (value === undefined) continue;
    if (!(typeof value === "number" && value > 0))
      refuse({ operation, argument: name }, "a positive number of milliseconds", value);
    if (value > longestTimer && value !== Number.POSITIVE_INFINITY) {
      refuse({ operation, argument: name }, `at most ${longestTimer} milliseconds, or Infinity`, value);
    }
    settings[name] = value;
  }
  if (retry === false) settings.attempts = 1;
  else if (retry !== undefined) {
    if (typeof retry !== "object" || retry === null)
      refuse({ operation, argument: "retry" }, "an object or false", retry);
    checkNames(operation, "retry", retry, retryNames);
    for (const name of retryNames) {
      const value = retry[name];
      if (value === undefined) continue;
      if (name === "attempts") {
        if (!(Number.isSafeInteger(value) && value > 0))
          refuse({ operation, argument: "retry.attempts" }, "a positive integer", value);
      } else if (!(typeof value === "number" && value >= 0 && value <= longestTimer)) {
        refuse({ operation, argument: `retry.${name}` }, `a number of milliseconds from 0 to ${longestTimer}`, value);
      }
      settings[name] = value;
    }
  }
  return settings;
}

/** Timers of every runtime hold 31 bits: a longer one fires at once. */
const longestTimer = 2 ** 31 - 1;

function readHeaders(operation: string | undefined, values: HeaderValues = {}): Headers {
  if (typeof values !== "object" || values === null)
    refuse({ operation, argument: "headers" }, "an object, Headers or pairs", values);
  const headers = new Headers();
  try {
    for (const [name, value] of Symbol.iterator in values ? values : Object.entries(values)) {
      if (value !== undefined) headers.set(name, value);
    }
  } catch {
    // The runtime's own message is not used: it shows the value.
    refuseSecret({ operation, argument: "headers" }, "names and values that HTTP allows");
  }
  return headers;
}

function readBaseUrl(baseUrl: unknown): string {
  const expected = 'an address such as "https://node.example"';
  // Relative addresses are good in a browser, where a page's own server often passes requests on to a node.
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  let url: URL;
  try {
    url = new URL(baseUrl as string, page);
  } catch {
    return refuse({ argument: "baseUrl" }, expected, baseUrl);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") refuse({ argument: "baseUrl" }, expected, baseUrl);
  if (url.username !== "" || url.password !== "") {
    refuse(
      { argument: "baseUrl" },
      "without credentials, which fetch refuses: use `headers`",
      `${url.protocol}//…@${url.host}`,
    );
  }
  if (url.search !== "" || url.hash !== "") refuse({ argument: "baseUrl" }, "without query and fragment", baseUrl);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/(?:\/+api\/+v2)$/, "");
}

/** A misspelt option would be no option, and nobody would notice. */
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
