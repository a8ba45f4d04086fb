import {
  ApiError,
  ArgumentError,
  ConnectionError,
  describe,
  PaginationError,
  RateLimitError,
  ResponseError,
  TimeoutError,
  VegaError,
} from "../../errors/index.js";
import type { Block } from "../../http/block.js";
import { NodeError } from "../../testing/errors.js";

/** A response of the gateway. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the same request has this response forever. */
  readonly isFinal?: boolean | undefined;
  /** The node that served it, for the log. */
  readonly node?: string | undefined;
  /** What went wrong, for the log. */
  readonly error?: string | undefined;
}

/** What a node was asked for, and what it says of itself. */
export interface Served {
  readonly block: Block | undefined;
  readonly stale: boolean;
  readonly response: Response;
}

const json = "application/json";

/** The response with what a node served. */
export function replyWith(body: object, { block, stale, response }: Served, isFinal = false): Reply {
  const headers = {
    "Content-Type": json,
    ...(block && { "X-Block-Height": `${block.height}`, "X-Block-Timestamp": `${block.timestamp}` }),
    ...(stale && { "X-Stale": "true" }),
  };
  const node = response.url ? new URL(response.url).host : undefined;
  return { status: 200, headers, body: Buffer.from(JSON.stringify(body)), isFinal, node };
}

/** A request that the gateway rejects, with an error in the form of a node's. */
export class Rejection extends NodeError {
  readonly headers: Readonly<Record<string, string>>;

  /** @param code - The status code of gRPC, from which the HTTP status follows. */
  constructor(code: number, message: string, headers: Record<string, string> = {}, details: object[] = []) {
    super(code, message, details);
    this.headers = headers;
  }
}

/** The gateway cannot respond now, and can later. */
export const unavailable = (message: string, seconds = 1): Rejection =>
  new Rejection(14, message, { "Retry-After": String(Math.max(1, Math.ceil(seconds))) });

/**
 * The response to an error.
 *
 * @param hide - Replaces the addresses of nodes, which can contain secrets.
 */
export function replyTo(error: unknown, hide: (text: string) => string): Reply {
  // What a node says of a request is passed on.
  if (ApiError.is(error) && !RateLimitError.is(error) && typeof error.body === "object" && error.body !== null) {
    return errorReply(error.status, error.body, {}, hide(error.message));
  }
  const { status, body, headers } = rejectionOf(error);
  // An error of no known class is one of the gateway itself: the log needs its place.
  const isKnown = error instanceof Rejection || VegaError.is(error) || !(error instanceof Error);
  const text = isKnown ? describe(error) : (error.stack ?? describe(error));
  return errorReply(status, { ...body, message: hide(body.message) }, headers, hide(text));
}

const errorReply = (status: number, body: object, headers: Reply["headers"], error: string): Reply => ({
  status,
  headers: { "Content-Type": json, ...headers },
  body: Buffer.from(JSON.stringify(body)),
  error,
});

/** The last line of a stream that an error ends. */
export function errorOf(error: unknown, hide: (text: string) => string): object {
  const { body } = rejectionOf(error);
  return { ...body, message: hide(body.message) };
}

function rejectionOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const message = describe(error);
  if (ArgumentError.is(error)) return new Rejection(3, message);
  if (PaginationError.is(error)) return ofPagination(error);
  if (RateLimitError.is(error)) return unavailable("No node accepts requests at the moment.", error.retryAfter);
  if (TimeoutError.is(error) || (error instanceof Error && error.name === "TimeoutError"))
    return new Rejection(4, "No node responded in time.");
  if (ConnectionError.is(error)) return unavailable("No node responded.");
  if (ApiError.is(error) && error.status >= 500) return unavailable(`A node failed with status ${error.status}.`);
  if (ApiError.is(error))
    return new Rejection(2, `A node responded with status ${error.status}, without an error of its own.`);
  if (ResponseError.is(error))
    return new Rejection(13, "A node sent a response that does not match the OpenAPI description.");
  return new Rejection(13, "The gateway failed.");
}

function ofPagination(error: PaginationError): Rejection {
  const { reason, availableFrom, timestamp, message, resume } = error;
  const details = [
    {
      "@type": "vegaprotocol-client/PaginationError",
      reason,
      ...(availableFrom !== undefined && { availableFrom: `${availableFrom}` }),
      ...(timestamp !== undefined && { timestamp }),
      ...(resume && "startTimestamp" in resume && { resume: digits(resume) }),
    },
  ];
  // The caller can do something about it: begin the range later.
  if (reason === "pruned") return new Rejection(11, message, {}, details);
  // Another node may be able to, or this one a little later.
  if (reason === "behind" || reason === "gap") return new Rejection(14, message, { "Retry-After": "1" }, details);
  return new Rejection(15, message, {}, details);
}

const digits = (range: object) =>
  Object.fromEntries(
    Object.entries(range).map(([name, value]) => [name, value === undefined ? undefined : `${value}`]),
  );
