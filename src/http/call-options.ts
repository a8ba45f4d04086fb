import {
  abortSignal,
  checkedWhenRead,
  checkOptions,
  deadline,
  expected,
  isLimit,
  isPlainObject,
  milliseconds,
  nested,
  type OptionChecks,
  positiveInteger,
  withDefaults,
} from "../arguments/check-options.js";
import { refuse } from "../arguments/refuse.js";

/** @inline */
export type HeaderValues =
  | Headers
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | null | undefined };

/** Deadlines, retries and limits of a client or of one call. */
export interface AttemptOptions {
  /**
   * The deadline of one attempt, from sending the request to the end of the response, in milliseconds. Waits for the
   * rate limit of the client do not count. `Infinity` sets no deadline. Default: 30_000.
   */
  timeout?: number | undefined;
  /**
   * The deadline of a call with all its attempts and waits, in milliseconds. A loop, a scan and a follower make a call
   * for each request: to bound all of them, pass a `signal`. `Infinity` sets no deadline. Default: `Infinity`.
   */
  totalTimeout?: number | undefined;
  /**
   * How reads are retried; `false` makes one attempt. The check of a transaction is never retried. Default: the
   * defaults of {@link RetryOptions}.
   */
  retry?: RetryOptions | false | undefined;
  /**
   * The largest body that is accepted, in bytes after decompression. A larger one ends the call with a `ResponseError`
   * as soon as the limit is exceeded, whatever the status. `Infinity` sets no limit. Default: 67_108_864.
   */
  maxResponseSize?: number | undefined;
}

/** Number and timing of the attempts of a read. */
export interface RetryOptions {
  /** The number of attempts, including the first. Default: 4. */
  attempts?: number | undefined;
  /**
   * Upper bound of the first wait, in milliseconds. It doubles with each attempt; the wait is a random part of it.
   * Default: 250.
   */
  baseDelay?: number | undefined;
  /** Upper bound of each such wait, in milliseconds. Default: 8000. */
  maxDelay?: number | undefined;
  /**
   * The longest wait that the headers of a response can cause, in milliseconds. If an error response asks for a longer
   * one, the call rejects immediately. If a rate limit asks for a longer one, the request is not held back. Default:
   * 30_000.
   */
  maxRetryAfter?: number | undefined;
}

/** Options of one call. */
export interface CallOptions extends AttemptOptions {
  /** Aborts the call, whatever it is waiting for: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Headers of this call. They override the client's headers: `null` removes one, and `undefined` leaves it as it is.
   */
  headers?: HeaderValues | undefined;
  /** The address of the node that serves the call, of a client whose `baseUrl` is a pool. Default: the pool chooses. */
  node?: string | undefined;
}

/** The default wait for a block, in milliseconds. The clocks of callers are a few blocks ahead of the chain. */
export const defaultCatchUp = 15_000;

export const defaultSettings = {
  timeout: 30_000,
  totalTimeout: Number.POSITIVE_INFINITY,
  attempts: 4,
  baseDelay: 250,
  maxDelay: 8000,
  maxRetryAfter: 30_000,
  maxResponseSize: 67_108_864,
};

export type Settings = typeof defaultSettings;

const retryObject = nested<RetryOptions>(
  { attempts: positiveInteger, baseDelay: milliseconds, maxDelay: milliseconds, maxRetryAfter: milliseconds },
  "an object or false",
);

export const attemptChecks: OptionChecks<AttemptOptions> = {
  timeout: deadline,
  totalTimeout: deadline,
  retry: (value, place) => value === false || retryObject(value, place),
  maxResponseSize: expected("a positive integer of bytes, or Infinity", isLimit),
};

export const callChecks: OptionChecks<CallOptions> = {
  ...attemptChecks,
  signal: abortSignal,
  headers: checkedWhenRead,
  node: checkedWhenRead,
};

/** Names in lower case, and values. */
export type PlainHeaders = Readonly<Record<string, string>>;

/** The checked options of a call, which hold for each of its requests. */
export interface CallSettings {
  settings: Settings;
  headers: PlainHeaders;
  signal?: AbortSignal | undefined;
  /** The address of the only node that serves the call, if the client has several. */
  node?: string | undefined;
}

export type CallDefaults = Pick<CallSettings, "settings" | "headers">;

export function readCallOptions<Options extends CallOptions>(
  operation: string,
  options: Options | undefined,
  { settings, headers }: CallDefaults,
  checks: OptionChecks<Options>,
): CallSettings {
  if (options === undefined) return { settings, headers };
  checkOptions(checks, options, { name: operation, operation });
  const { signal, node } = options;
  return { ...withOverrides({ settings, headers }, options, operation), signal, node };
}

/** Adds checked options to defaults. */
export const withOverrides = (
  { settings, headers }: CallDefaults,
  { retry, headers: added, ...options }: AttemptOptions & Pick<CallOptions, "headers">,
  operation?: string,
): CallDefaults => ({
  settings: withDefaults(settings, { ...options, ...(retry === false ? { attempts: 1 } : retry) }),
  headers: addHeaders(headers, added, operation),
});

/** Checks headers, and overrides others with them. */
function addHeaders(
  others: PlainHeaders,
  values: HeaderValues | undefined,
  operation: string | undefined,
): PlainHeaders {
  if (values === undefined) return others;
  const isList = typeof values === "object" && values !== null && Symbol.iterator in values;
  // A Promise, for example, would have no names, and no effect.
  if (!isList && !isPlainObject(values)) refuse({ operation, argument: "headers" }, "an object, Headers or pairs");
  const headers = new Headers(others);
  try {
    for (const [name, value] of isList ? values : Object.entries(values)) {
      if (value === null) headers.delete(name);
      else if (value !== undefined) headers.set(name, value);
    }
  } catch {
    // The message of the runtime is not used, because it contains the value.
    refuse({ operation, argument: "headers" }, "names and values that HTTP allows");
  }
  return Object.fromEntries(headers);
}
