/** Says how a follower is, and ends it if it cannot continue. Used by `follow` and `sync`. */
import type { Block } from "vegaprotocol-client";
import type { FollowEvent, PollRetryEvent } from "vegaprotocol-client/follow";
import type { ConnectionObserver } from "./connection.js";
import { causesOf, ExitError, exitCodes, IncompleteError } from "./errors.js";
import { count, type Io, printMessage } from "./io.js";
import { formatTime } from "./output/cells.js";
import { StatusLine } from "./progress.js";
import { describeDuration } from "./times.js";

/** Codes of errors of a connection that every further attempt would have: a refused certificate, or an address that is none. */
const permanentCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|ERR_INVALID_URL$)/;

/** How far a position may be ahead of the node, in nanoseconds: nodes are behind each other. */
const lead = 60_000_000_000n;

export interface MonitorOptions {
  readonly io: Io;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  /** How long failures may last, in milliseconds. */
  readonly giveUpAfter: number;
  /** The time that the follower begins with, if it is one. */
  readonly from?: unknown;
}

export class Monitor implements ConnectionObserver {
  readonly #options: MonitorOptions;
  readonly #status: StatusLine;
  readonly #controller = new AbortController();
  /** Ends the follower. */
  readonly signal: AbortSignal;
  /** When the failures began. */
  #since: number | undefined;
  readonly #kinds = new Set<string>();
  /** For each node whether its last failure does not pass. */
  readonly #nodes = new Map<string, boolean>();
  #hasResponded = false;
  #block: Block | undefined;
  #records = 0;

  constructor(options: MonitorOptions) {
    const { io, isQuiet, isVerbose } = options;
    this.#options = options;
    this.#status = new StatusLine(io, !isQuiet && !isVerbose);
    this.signal = AbortSignal.any([io.signal, this.#controller.signal]);
  }

  onResponse(node: string, block: Block | undefined): void {
    const { io, from } = this.#options;
    if (this.#since !== undefined) {
      this.#print(`The node responds again after ${describeDuration(io.now() - this.#since)}.`);
    }
    this.#since = undefined;
    this.#kinds.clear();
    this.#nodes.set(node, false);
    if (block === undefined) return;
    if (!this.#hasResponded && typeof from === "bigint" && from > block.timestamp + lead) {
      const reached = formatTime(block.timestamp);
      const message = `Expected --from to be no later than the chain, which has reached ${reached}, got ${formatTime(from)}.`;
      this.#controller.abort(new IncompleteError(message));
    }
    this.#hasResponded = true;
    if (this.#block === undefined || block.timestamp >= this.#block.timestamp) this.#block = block;
    this.#show("waits for the next block");
  }

  onNoResponse(node: string, error: unknown): void {
    const causes = causesOf(error);
    const isPermanent = causes.some(({ code = "", message }) => permanentCodes.test(code) || message === "bad port");
    // The name of a host that has responded is known: the network is down.
    const isUnknownHost = !this.#hasResponded && causes.some(({ code }) => code === "ENOTFOUND");
    this.#nodes.set(node, isPermanent || isUnknownHost);
  }

  readonly observe = (event: FollowEvent): void => {
    if (this.#options.isVerbose) this.#log(event);
    if (event.type === "behind") this.#show("waits for a node that is behind");
    else this.#onRetry(event);
  };

  /** Prints or stores records. The line of the status does not stand between them. */
  async write(records: number, write: () => Promise<void>): Promise<void> {
    this.#status.clear();
    await write();
    this.#records += records;
    this.#show("waits for the next block");
  }

  clear(): void {
    this.#status.clear();
  }

  /** Prints the first failure of each kind, and ends the follower if it does not pass, or lasts for too long. */
  #onRetry({ error, delay }: PollRetryEvent): void {
    const { io, giveUpAfter } = this.#options;
    this.#since ??= io.now();
    const { name, message, status } = error;
    const failures = [...this.#nodes.values()];
    const isPermanent = name === "ConnectionError" && failures.length > 0 && failures.every(Boolean);
    if (isPermanent || io.now() - this.#since + delay > giveUpAfter) {
      const code = name === "RateLimitError" ? exitCodes.rateLimited : exitCodes.failed;
      this.#controller.abort(new ExitError(message, code));
      return;
    }
    const kind = `${name} ${status}`;
    if (!this.#kinds.has(kind)) this.#print(`${message}. Retrying for ${describeDuration(giveUpAfter)}.`);
    this.#kinds.add(kind);
    this.#show(`retries in ${describeDuration(delay)}`);
  }

  #log(event: FollowEvent): void {
    const what =
      event.type === "retry"
        ? `poll failed, repeated in ${Math.round(event.delay)} ms: ${event.error.message}`
        : `ignored a response of block ${event.block.height}, which is before block ${event.newest.height}`;
    printMessage(this.#options.io, `${event.operation}: ${what}`);
  }

  #show(waitsFor: string): void {
    if (!this.#status.isShown || this.signal.aborted) return;
    const texts = [count(this.#records, "record"), waitsFor];
    if (this.#block !== undefined) {
      const { height, timestamp } = this.#block;
      const lag = Math.max(0, Date.now() - Number(timestamp / 1_000_000n));
      texts.unshift(`block ${height.toLocaleString("en")}`, `lag ${describeDuration(lag)}`);
    }
    this.#status.show(texts.join(", "));
  }

  #print(text: string): void {
    const { io, isQuiet, isVerbose } = this.#options;
    if (isQuiet || isVerbose) return;
    this.#status.clear();
    printMessage(io, text);
  }
}
