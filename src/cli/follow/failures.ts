import type { PollRetryEvent } from "../../follow/index.js";
import { EndError, exitCodes } from "../exit.js";

/** Codes of errors of a connection that every further attempt would have: a refused certificate, or an address that is none. */
const permanentCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|ERR_INVALID_URL$)/;

/** Decides which failures of polls are printed, and which ends the follower. */
export class Failures {
  readonly #limit: number;
  readonly #now: () => number;
  #since: number | undefined;
  readonly #kinds = new Set<string>();
  /** For each node whether its last failure does not pass. */
  readonly #nodes = new Map<string, boolean>();
  #hasResponded = false;

  /** @param limit - How long failures may last, in milliseconds. */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** A node has responded. Returns how long there was no response, in milliseconds, if there was a failure. */
  onResponse(node: string): number | undefined {
    const since = this.#since;
    this.#since = undefined;
    this.#kinds.clear();
    this.#nodes.set(node, false);
    this.#hasResponded = true;
    return since === undefined ? undefined : this.#now() - since;
  }

  /** A request to a node had no response. */
  onNoResponse(node: string, error: unknown): void {
    const causes = causesOf(error);
    const isPermanent = causes.some(({ code = "", message }) => permanentCodes.test(code) || message === "bad port");
    // The name of a host that has responded is known: the network is down.
    const isUnknownHost = !this.#hasResponded && causes.some(({ code }) => code === "ENOTFOUND");
    this.#nodes.set(node, isPermanent || isUnknownHost);
  }

  /**
   * A poll has failed and will be repeated. Returns whether the failure is the first one of its kind.
   *
   * @throws {@link EndError} if it does not pass, or lasts for too long.
   */
  onRetry({ error, delay }: PollRetryEvent): boolean {
    this.#since ??= this.#now();
    const { name, message, status } = error;
    const failures = [...this.#nodes.values()];
    const isPermanent = name === "ConnectionError" && failures.length > 0 && failures.every(Boolean);
    if (isPermanent || this.#now() - this.#since + delay > this.#limit) {
      throw new EndError(message, name === "RateLimitError" ? exitCodes.rateLimited : exitCodes.failed);
    }
    const kind = `${name} ${status}`;
    if (this.#kinds.has(kind)) return false;
    this.#kinds.add(kind);
    return true;
  }
}

function causesOf(error: unknown, depth = 0): { code?: string; message: string }[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...inner].flatMap((each) => causesOf(each, depth + 1))];
}
