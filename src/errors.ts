import type { BalanceChangesDateRange, ErrorDetail } from "../generated/types.js";
import type { Backward, Forward } from "./pagination/direction.js";

/** What every {@link VegaError} is made of, beside its message. */
export interface VegaErrorOptions {
  /** The operation that failed: the name of the client's method. */
  operation?: string | undefined;
  /** How many attempts were made. */
  attempts?: number | undefined;
  /** What was behind it. */
  cause?: unknown;
}

/**
 * Two copies of this package in one program have two classes of each name, and `instanceof` knows one of them only. A
 * registered symbol on the prototype is known to both.
 */
const markOf = (name: string) => Symbol.for(`vegaprotocol-client.${name}`);

function mark(prototype: object, name: string): void {
  Object.defineProperty(prototype, markOf(name), { value: true });
}

function isMarked(error: unknown, name: string): boolean {
  return typeof error === "object" && error !== null && markOf(name) in error;
}

/**
 * The root of all errors of this package.
 *
 * `VegaError.is(error)`, like `is` of every class below it, also knows errors of another copy of this package.
 *
 * @example
 * ```ts
 * try {
 *   await client.getSpamStatistics({ partyId });
 * } catch (error) {
 *   if (!VegaError.is(error)) throw error;
 *   console.error(error.operation, error.message);
 * }
 * ```
 */
export class VegaError extends Error {
  override name:
    | "VegaError"
    | "ArgumentError"
    | "ConnectionError"
    | "TimeoutError"
    | "ApiError"
    | "RateLimitError"
    | "ResponseError"
    | "PaginationError" = "VegaError";
  /** The operation that failed: the name of the client's method. */
  readonly operation: string | undefined;
  /** How many attempts were made; 0 where nothing was sent. */
  readonly attempts: number;
  /**
   * Where the error ended a walk: the `pagination` that goes on behind the last record that was handed out. Where it
   * ended a scan: the `dateRange` of what was not handed out.
   *
   * @example
   * ```ts
   * if (VegaError.is(error) && error.resume) {
   *   const rest = client.listNodeSignatures({ id, pagination: error.resume });
   * }
   * ```
   */
  declare readonly resume?: (Forward | Backward) & BalanceChangesDateRange;
  /** Where the error ended a walk: how many pages it had read. */
  declare readonly pagesRead?: number;
  /** Where the error ended a walk: how many records those pages had. */
  declare readonly itemsRead?: number;

  static {
    mark(VegaError.prototype, "VegaError");
  }

  constructor(message: string, { operation, attempts = 0, cause }: VegaErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.operation = operation;
    this.attempts = attempts;
  }

  /** The error as plain data, for logs: no headers, no body, no stack. */
  toJSON(): Record<string, unknown> {
    const { name, message, operation, attempts, resume, pagesRead, itemsRead, cause } = this;
    const plainCause = cause instanceof Error ? { name: cause.name, message: cause.message } : cause;
    return { name, message, operation, attempts, resume, pagesRead, itemsRead, cause: plainCause };
  }

  /** Tells whether a value is an error of this package. */
  static is(error: unknown): error is VegaError {
    return isMarked(error, "VegaError");
  }
}

/** The call is wrong: an argument or an option is not what it has to be. Nothing was sent. */
export class ArgumentError extends VegaError {
  override name = "ArgumentError" as const;
  /** The argument or option that is wrong, as in `pagination.first`. */
  readonly argument: string;

  static {
    mark(ArgumentError.prototype, "ArgumentError");
  }

  constructor(message: string, { argument, ...options }: VegaErrorOptions & { argument: string }) {
    super(message, options);
    this.argument = argument;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), argument: this.argument };
  }

  /** Tells whether a value is an {@link ArgumentError}. */
  static override is(error: unknown): error is ArgumentError {
    return isMarked(error, "ArgumentError");
  }
}

/** No answer, or none that was whole: the connection was refused, reset or cut off, the name or the certificate is wrong. */
export class ConnectionError extends VegaError {
  override name = "ConnectionError" as const;

  static {
    mark(ConnectionError.prototype, "ConnectionError");
  }

  /** Tells whether a value is a {@link ConnectionError}. */
  static override is(error: unknown): error is ConnectionError {
    return isMarked(error, "ConnectionError");
  }
}

/** It took too long: one attempt, or the call with all its attempts and waits. */
export class TimeoutError extends VegaError {
  override name = "TimeoutError" as const;
  /** Which deadline passed: that of one attempt (`timeout`), or that of the whole call (`totalTimeout`). */
  readonly scope: "attempt" | "total";

  static {
    mark(TimeoutError.prototype, "TimeoutError");
  }

  constructor(message: string, { scope, ...options }: VegaErrorOptions & { scope: "attempt" | "total" }) {
    super(message, options);
    this.scope = scope;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), scope: this.scope };
  }

  /** Tells whether a value is a {@link TimeoutError}. */
  static override is(error: unknown): error is TimeoutError {
    return isMarked(error, "TimeoutError");
  }
}

/** The request that an error is about. */
export interface SentRequest {
  /** As in `GET`. */
  method: string;
  /** The whole address, query included. */
  url: string;
}

/** The names of gRPC's status codes, which is what `code` of an error body is (observed on v0.74 nodes). */
const codeNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

/** The name of a gRPC status code, as in {@link ApiError.codeName}. */
export type CodeName = (typeof codeNames)[number];

/** What an {@link ApiError} is made of, beside its message. */
export interface ApiErrorOptions extends VegaErrorOptions {
  request: SentRequest;
  response: Response;
  /** The body: parsed where it was JSON, else its text. */
  body: unknown;
  /** What to do, where that is known. */
  advice?: string | undefined;
}

/** The node, or something in front of it, answered with an error status. */
export class ApiError extends VegaError {
  override name: "ApiError" | "RateLimitError" = "ApiError";
  /** The HTTP status, as in 400. */
  readonly status: number;
  /** The gRPC status code of the body, or `undefined` where the body has none, as that of a proxy. */
  readonly code: number | undefined;
  /** The name of {@link ApiError.code}, as in `"INVALID_ARGUMENT"`. */
  readonly codeName: CodeName | undefined;
  /** The details of the body; empty where there are none. */
  readonly details: readonly ErrorDetail[];
  /** The first detail that is Vega's own: its `code` and `message` say best what went wrong. */
  readonly detail: ErrorDetail | undefined;
  /** The body: parsed where it was JSON, else its text. */
  readonly body: unknown;
  /** The headers of the answer. */
  readonly headers: Headers;
  /** What was asked. */
  readonly request: SentRequest;

  static {
    mark(ApiError.prototype, "ApiError");
  }

  constructor({ request, response, body, advice = adviceOn(response.status, body), ...options }: ApiErrorOptions) {
    const { code, message, details } = readErrorBody(body);
    const detail = details.find(isVegaDetail);
    const words = [message, detail?.message, detail?.inner].filter(Boolean).join(": ") || summarize(body);
    super(
      `${options.operation ?? "The request"} failed with status ${response.status}${words ? `: ${words}` : ""} ` +
        `(${request.method} ${request.url})${advice ? `. ${advice}` : ""}`,
      options,
    );
    this.status = response.status;
    this.code = code;
    this.codeName = code === undefined ? undefined : codeNames[code];
    this.details = details;
    this.detail = detail;
    this.body = body;
    this.headers = response.headers;
    this.request = request;
  }

  override toJSON(): Record<string, unknown> {
    const { status, code, codeName, details, request } = this;
    return { ...super.toJSON(), status, code, codeName, details, request };
  }

  /** Tells whether a value is an {@link ApiError}. */
  static override is(error: unknown): error is ApiError {
    return isMarked(error, "ApiError");
  }
}

/** What a {@link RateLimitError} is made of. */
export interface RateLimitErrorOptions extends Omit<ApiErrorOptions, "advice"> {
  retryAfter: number | undefined;
  banned: boolean;
  /** Whether it was this call that the node refused; else it was one before. */
  sent: boolean;
}

/** The node refuses for the rate of requests, or it has banned the client and nothing was sent. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError" as const;
  /** Seconds until the node takes requests again; `undefined` where it does not say. */
  readonly retryAfter: number | undefined;
  /** Whether the node has banned the client, for going on while it was over the limit. */
  readonly banned: boolean;

  static {
    mark(RateLimitError.prototype, "RateLimitError");
  }

  constructor({ retryAfter, banned, sent, ...options }: RateLimitErrorOptions) {
    const wait = retryAfter === undefined ? "" : `Wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}`;
    const advice = sent
      ? wait && `${wait}.`
      : `This was the answer to a call before; nothing is sent until then. ${wait}.`;
    super({ ...options, advice });
    this.retryAfter = retryAfter;
    this.banned = banned;
  }

  override toJSON(): Record<string, unknown> {
    const { retryAfter, banned } = this;
    return { ...super.toJSON(), retryAfter, banned };
  }

  /** Tells whether a value is a {@link RateLimitError}. */
  static override is(error: unknown): error is RateLimitError {
    return isMarked(error, "RateLimitError");
  }
}

/** The answer has a status of success but is not what the description says: HTML, JSON that breaks off, no envelope. */
export class ResponseError extends VegaError {
  override name = "ResponseError" as const;
  /** The answer. Its body has been read. */
  readonly response: Response;
  /** The body: parsed where it was JSON, else its text. */
  readonly body: unknown;

  static {
    mark(ResponseError.prototype, "ResponseError");
  }

  constructor(
    message: string,
    { response, body, ...options }: VegaErrorOptions & { response: Response; body: unknown },
  ) {
    super(message, options);
    this.response = response;
    this.body = body;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), status: this.response.status };
  }

  /** Tells whether a value is a {@link ResponseError}. */
  static override is(error: unknown): error is ResponseError {
    return isMarked(error, "ResponseError");
  }
}

/** The node pages in a way that leads nowhere: a walk cannot go on without repeating itself, or a scan not at all. */
export class PaginationError extends VegaError {
  override name = "PaginationError" as const;
  /**
   * `"repeated-cursor"`: a cursor came again. `"missing-cursor"`: there is more, but no cursor to get it with.
   * `"too-dense"`: a scan found more records in one nanosecond than it can get.
   */
  readonly reason: "repeated-cursor" | "missing-cursor" | "too-dense";
  /** Where `reason` is `"too-dense"`: the time of the records, in Unix nanoseconds. */
  readonly timestamp: `${bigint}` | undefined;

  static {
    mark(PaginationError.prototype, "PaginationError");
  }

  constructor(
    message: string,
    {
      reason,
      timestamp,
      ...options
    }: VegaErrorOptions & { reason: PaginationError["reason"]; timestamp?: PaginationError["timestamp"] },
  ) {
    super(message, options);
    this.reason = reason;
    this.timestamp = timestamp;
  }

  override toJSON(): Record<string, unknown> {
    const { reason, timestamp } = this;
    return { ...super.toJSON(), reason, timestamp };
  }

  /** Tells whether a value is a {@link PaginationError}. */
  static override is(error: unknown): error is PaginationError {
    return isMarked(error, "PaginationError");
  }
}

/** Tells a refusal for size from one for rate: both are a 429 (observed on v0.74 nodes). */
export function isTooLarge(status: number, body: unknown): boolean {
  return status === 429 && JSON.stringify(body ?? "").includes("received message larger than max");
}

function adviceOn(status: number, body: unknown): string | undefined {
  if (isTooLarge(status, body)) return "Ask for less: a smaller page, or a narrower filter.";
  if (status === 404 && typeof body === "string") return "Is `baseUrl` the address of a node?";
  return undefined;
}

function readErrorBody(body: unknown): { code?: number; message?: string; details: ErrorDetail[] } {
  if (typeof body !== "object" || body === null) return { details: [] };
  const { code, message, details } = body as Record<string, unknown>;
  return {
    ...(typeof code === "number" && { code }),
    ...(typeof message === "string" && { message }),
    details: Array.isArray(details) ? details.filter((detail) => typeof detail === "object" && detail !== null) : [],
  };
}

function isVegaDetail(detail: ErrorDetail): boolean {
  return detail["@type"] === "type.googleapis.com/vega.ErrorDetail";
}

/** The first words of a body, on one line: enough to tell the error page of a proxy. */
export function summarize(body: unknown): string {
  const text = (typeof body === "string" ? body : body === undefined ? "" : (JSON.stringify(body) ?? ""))
    .replace(/\s+/g, " ")
    .trim();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** A value as it reads in a message: what came, cut where it is long. */
export function show(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString();
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** Names as they read in a message. */
export const listNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Refuses an argument, with what was expected of it and what came. */
export function refuse(
  { operation, argument }: { operation: string | undefined; argument: string },
  expected: string,
  value: unknown,
): never {
  const place = operation === undefined ? `\`${argument}\`` : `\`${argument}\` of ${operation}`;
  throw new ArgumentError(`Expected ${place} to be ${expected}, got ${show(value)}.`, { operation, argument });
}
