import * as vega from "vegaprotocol-client";
import { IncompleteError, NoCopyError, NodeError, NoProposalError, recordError, UsageError } from "../errors.js";

/** The HTTP statuses of status codes of gRPC, as nodes map them; 8 is a body that is too large. */
const statuses: Readonly<Record<number, number>> = { 3: 400, 4: 504, 5: 404, 8: 413, 11: 400, 12: 501, 14: 503 };

/** How many characters of a message a response and a line of the log have: it can contain a long parameter. */
const longestMessage = 2000;

export class Rejection extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;

  /** @param code - The status code of gRPC, from which the HTTP status follows. */
  constructor(code: number, message: string, details: readonly object[] = [], retryAfter = code === 14 ? 1 : 0) {
    super(message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message);
    this.status = statuses[code] ?? 500;
    this.body = { code, message: this.message, details };
    this.headers = retryAfter > 0 ? { "Retry-After": String(Math.ceil(retryAfter)) } : {};
  }
}

export const busy = (): Rejection => new Rejection(14, "The gateway has as many requests as it can serve.");

/**
 * The error in a body of a node. Proxies in front of a node send others, which can contain the path of its address, a
 * secret.
 *
 * @throws a rejection if the body is not the error of a node.
 */
export function nodeError(body: unknown, status: number): object {
  const { code, message, details = [] } = Object(body) as Record<string, unknown>;
  if (typeof code === "number") return { code, message, details };
  throw new Rejection(14, `A node failed with status ${status}.`, [], 0);
}

/** The response for an error: the error of the node, or a rejection. The log has the text. */
export function responseTo(error: unknown): Pick<Rejection, "status" | "body" | "headers"> & { text: string } {
  const isOfNode = vega.ApiError.is(error) && !vega.RateLimitError.is(error) && error.status !== 503;
  if (isOfNode && error.code !== undefined && error.status >= 400) {
    const { status, body } = error;
    return { status, headers: {}, body: nodeError(body, status), text: `A node responded with ${status}.` };
  }
  const { status, headers, body, message } = rejectionOf(error);
  // A failure of no known class is one of the gateway itself.
  const isOwn = status === 500 && error instanceof Error && !(error instanceof Rejection) && !vega.VegaError.is(error);
  return { status, headers, body, text: (isOwn && error.stack) || message };
}

/** Messages of most errors contain the addresses of nodes, which may be secrets. */
export function rejectionOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const isMissing = [NoProposalError, NoCopyError, IncompleteError].some((type) => error instanceof type);
  if (isMissing) return new Rejection(5, (error as Error).message);
  if (recordError(error)) return new Rejection(13, "A node sent no valid response.");
  if (vega.ArgumentError.is(error) || error instanceof UsageError) {
    const { message, operation }: { message: string; operation?: string | undefined } = error;
    // Callers pass parameters, not options of functions.
    const text = message
      .replace(new RegExp(` of ${operation}(?=[ ,])`), "")
      .replace("`liquidity.required", "`liquidity")
      .replace("`liquidity.marketId`", "`market`");
    // Parameters are digits, without the `n` of a bigint. Texts of callers are in quotes. A pattern that begins with the
    // lookbehind takes quadratic time for a long parameter of digits.
    return new Rejection(3, text.replaceAll(/n\b(?<=, (?:got )?-?\d+n)/g, ""));
  }
  if (vega.PaginationError.is(error)) {
    const { reason, message, availableFrom } = error;
    const type = "vegaprotocol-client/PaginationError";
    const detail = { "@type": type, reason, availableFrom: availableFrom?.toString(), ...resumeOf(error) };
    // The caller can begin a range later; another node may be able to continue, or this one a little later.
    const code = reason === "pruned" ? 11 : reason === "behind" || reason === "gap" ? 14 : 15;
    const texts: Record<string, string> = {
      pruned: `The nodes have no balance changes before ${availableFrom}: begin the range there.`,
      behind: "No node has reached the time that the request needs.",
    };
    return new Rejection(code, texts[reason] ?? message, [detail]);
  }
  if (vega.RateLimitError.is(error)) {
    return new Rejection(14, "No node accepts requests at the moment.", [], error.retryAfter);
  }
  if (error instanceof Error && error.name === "TimeoutError") return new Rejection(4, "No node responded in time.");
  if (vega.ConnectionError.is(error)) return new Rejection(14, "No node responded.");
  if (vega.ApiError.is(error) || error instanceof NodeError)
    return new Rejection(14, `A node failed with status ${error.status}.`);
  return new Rejection(13, vega.ResponseError.is(error) ? "A node sent no valid response." : "The gateway failed.");
}

export function resumeOf(error: unknown): object {
  const { startTimestamp: start, endTimestamp: end } = (error as Partial<vega.VegaError>).resume?.dateRange ?? {};
  if (start === undefined && end === undefined) return {};
  return { resume: { startTimestamp: start?.toString(), endTimestamp: end?.toString() } };
}

/** The range for which the records before an error are complete. It can begin after the requested start. */
export function coverageOf(error: unknown): object {
  const { start, end } = (error as Partial<vega.VegaError>).coverage ?? {};
  return start === undefined ? {} : { coverage: { startTimestamp: `${start}`, endTimestamp: end?.toString() } };
}
