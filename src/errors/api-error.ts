import type { ErrorBody } from "../../generated/types.js";
import { shorten, unlessThrown, VegaError, type VegaErrorOptions } from "./vega-error.js";

type ErrorDetail = ErrorBody["details"][number];

/** The request that an error is about. */
export interface SentRequest {
  /** Such as `GET`. */
  method: string;
  /** The complete URL, query included. */
  url: string;
}

/** The names of the gRPC status codes, which nodes send as `code` of an error body (observed on v0.74 nodes). */
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

/** Nodes send a sentence or two. The message of an error is also in events and logs. */
const longestText = 1000;

interface ApiErrorOptions extends VegaErrorOptions, Pick<ApiError, "request" | "body"> {
  response: Response;
  /** Advice, as a sentence for the message. */
  hint?: string | undefined;
}

/** The node, or a proxy in front of it, responded with an error status. */
export class ApiError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ApiError";
  override name: "ApiError" | "RateLimitError" = "ApiError";
  /** HTTP status code, such as 400. */
  declare readonly status: number;
  /** The gRPC status code of the body; `undefined` if the body has none, such as the body of a proxy. */
  declare readonly code: number | undefined;
  /** The name of {@link ApiError.code}, such as `"INVALID_ARGUMENT"`. */
  declare readonly codeName: (typeof codeNames)[number] | undefined;
  /** The details of the body; empty if there are none. */
  declare readonly details: readonly ErrorDetail[];
  /** The first detail of Vega's own type: its `code` and `message` are the most specific. */
  declare readonly detail: ErrorDetail | undefined;
  /** The body: parsed if it is JSON, otherwise its text. */
  declare readonly body: unknown;
  /** The headers of the response. */
  declare readonly headers: Headers;
  /** The response. Its body has been read. `undefined` if the call was not sent, such as during a ban. */
  declare readonly response: Response | undefined;
  /** The request that failed. */
  declare readonly request: SentRequest;

  constructor({ request, response, body, hint = hintFor(response.status, body), ...options }: ApiErrorOptions) {
    const { code, message, details } = readErrorBody(body);
    const detail = details.find((each) => each["@type"] === "type.googleapis.com/vega.ErrorDetail");
    const texts = [message, detail?.["message"], detail?.["inner"]].filter(isText).join(": ");
    const words = summarize(texts, longestText) || summarize(body);
    const { status, headers } = response;
    const codeName = codeNames[code ?? -1];
    const members = { ...options, status, code, codeName, details, detail, body, headers, request, response };
    super(
      `${options.operation ?? "The request"} failed with status ${status}${words ? `: ${words}` : ""} ` +
        `(${request.method} ${request.url})${hint ? `. ${hint}` : ""}`,
      members,
    );
  }

  override toJSON(): Record<string, unknown> {
    const { headers, body, detail, response, ...members } = super.toJSON();
    return { ...members, details: textOf(this.details) === "" ? [] : this.details };
  }
}

/** Returns whether a response rejects the size of a request, not the rate: both are a 429 (observed on v0.74 nodes). */
export const isTooLarge = (status: number, body: unknown): boolean =>
  status === 429 && textOf(body).includes("received message larger than max");

/** The JSON of a body that was parsed; empty if it has more levels than the engine can write. */
const textOf = (body: unknown): string =>
  typeof body === "string" ? body : (unlessThrown(() => JSON.stringify(body)) ?? "");

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function hintFor(status: number, body: unknown): string | undefined {
  if (isTooLarge(status, body)) return "Request less: a smaller page, or a narrower filter.";
  if (status === 404 && typeof body === "string") return "Check that `baseUrl` is the address of a node.";
  return undefined;
}

function readErrorBody(body: unknown) {
  // A text has none of these members.
  const { code, message, details } = Object(body) as Record<string, unknown>;
  const objects: unknown[] = Array.isArray(details) ? details : [];
  return {
    code: typeof code === "number" ? code : undefined,
    message,
    details: objects.filter((detail): detail is ErrorDetail => Object(detail) === detail),
  };
}

/** Returns the beginning of a body on one line: enough to recognize the error page of a proxy. */
export function summarize(body: unknown, length = 120): string {
  // A node must not add lines to a log, or control a terminal.
  return shorten(
    textOf(body)
      .replace(/[\s\p{C}]+/gu, " ")
      .trim(),
    length,
  );
}

interface RateLimitErrorOptions extends Omit<ApiErrorOptions, "hint">, Pick<RateLimitError, "retryAfter" | "banned"> {
  /** Whether this call was sent; if not, an earlier call got the response. */
  sent: boolean;
}

/** The node rejects requests because of their rate, or it has banned the client. */
export class RateLimitError extends ApiError {
  protected static override readonly brand: string = "vegaprotocol-client.RateLimitError";
  override name = "RateLimitError" as const;
  /** Seconds until the node accepts requests again; `undefined` if the response does not contain it. */
  readonly retryAfter: number | undefined;
  /** Whether the node has banned the client. */
  readonly banned: boolean;

  constructor({ retryAfter, banned, sent, ...options }: RateLimitErrorOptions) {
    const wait = retryAfter === undefined ? "" : `Wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`;
    super({
      ...options,
      hint: sent ? wait : `This is the response to an earlier call; this call was not sent. ${wait}`,
    });
    this.retryAfter = retryAfter;
    this.banned = banned;
    if (!sent) Object.assign(this, { response: undefined });
  }
}
