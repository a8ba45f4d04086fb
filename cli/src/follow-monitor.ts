/** Says how a follower is, and ends it if it cannot continue. Used by `follow` and `sync`. */
import type { FollowEvent } from "vegaprotocol-client/follow";
import { causesOf, ExitError, exitCodes, IncompleteError } from "./errors.js";
import type { GeneralFlags, PresentationFlags } from "./flags.js";
import type { Fetch } from "./http.js";
import { count, type Io, printMessage } from "./io.js";
import { formatTime } from "./output/cells.js";
import { StatusLine } from "./progress.js";
import { describeDuration } from "./times.js";

/** Codes of errors of a connection that every further attempt would have: a refused certificate, or an address that is none. */
const permanentCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|ERR_INVALID_URL$)/;

/** How far a position may be ahead of the node, in nanoseconds: nodes are behind each other. */
const lead = 60_000_000_000n;

export interface MonitorFlags extends GeneralFlags, Pick<PresentationFlags, "quiet"> {
  /** How long failures may last, in milliseconds. */
  readonly giveUpAfter?: number;
  /** The time that the follower begins with, if it is one. */
  readonly from?: unknown;
}

export class Monitor {
  readonly #io: Io;
  readonly #flags: MonitorFlags;
  readonly #giveUpAfter: number;
  readonly #status: StatusLine;
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  /** When the failures began. */
  #since: number | undefined;
  readonly #kinds = new Set<string>();
  /** For each node whether its last failure does not pass. */
  readonly #nodes = new Map<string, boolean>();
  /** The time of the newest block of a response, in Unix nanoseconds. */
  #block: bigint | undefined;
  #hasResponded = false;
  #records = 0;

  constructor(io: Io, flags: MonitorFlags) {
    this.#io = io;
    this.#flags = flags;
    this.#giveUpAfter = flags.giveUpAfter ?? 600_000;
    this.#status = new StatusLine(io, !flags.quiet && !flags.verbose);
    this.signal = AbortSignal.any([io.signal, this.#controller.signal]);
  }

  readonly watch =
    (send: Fetch): Fetch =>
    async (request) => {
      const { origin } = new URL(request.url);
      try {
        const response = await send(request);
        if (response.ok) this.#onResponse(origin, response.headers.get("X-Block-Timestamp") ?? "");
        return response;
      } catch (error) {
        const causes = causesOf(error);
        const isPermanent = causes.some(
          ({ code = "", message }) => permanentCodes.test(code) || message === "bad port",
        );
        // The name of a host that has responded is known: the network is down.
        const isUnknownHost = !this.#hasResponded && causes.some(({ code }) => code === "ENOTFOUND");
        this.#nodes.set(origin, isPermanent || isUnknownHost);
        throw error;
      }
    };

  readonly observe = (event: FollowEvent): void => {
    if (this.#flags.verbose) this.#log(event);
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

  #onResponse(node: string, timestamp: string): void {
    const { from } = this.#flags;
    if (this.#since !== undefined) {
      this.#print(`The node responds again after ${describeDuration(this.#io.now() - this.#since)}.`);
    }
    this.#since = undefined;
    this.#kinds.clear();
    this.#nodes.set(node, false);
    if (!/^\d+$/.test(timestamp)) return;
    const block = BigInt(timestamp);
    if (!this.#hasResponded && typeof from === "bigint" && from > block + lead) {
      const message = `Expected --from to be no later than the chain, which has reached ${formatTime(block)}, got ${formatTime(from)}.`;
      this.#controller.abort(new IncompleteError(message));
    }
    this.#hasResponded = true;
    if (this.#block === undefined || block > this.#block) this.#block = block;
    this.#show("waits for the next block");
  }

  /** Prints the first failure of each kind, and ends the follower if it does not pass, or lasts for too long. */
  #onRetry({ error: { name, message, status }, delay }: Extract<FollowEvent, { type: "retry" }>): void {
    this.#since ??= this.#io.now();
    const failures = [...this.#nodes.values()];
    const isPermanent = name === "ConnectionError" && failures.length > 0 && failures.every(Boolean);
    if (isPermanent || this.#io.now() - this.#since + delay > this.#giveUpAfter) {
      const code = name === "RateLimitError" ? exitCodes.rateLimited : exitCodes.failed;
      this.#controller.abort(new ExitError(message, code));
      return;
    }
    const kind = `${name} ${status}`;
    if (!this.#kinds.has(kind)) this.#print(`${message}. Retrying for ${describeDuration(this.#giveUpAfter)}.`);
    this.#kinds.add(kind);
    this.#show(`retries in ${describeDuration(delay)}`);
  }

  #log(event: FollowEvent): void {
    const what =
      event.type === "retry"
        ? `poll failed, repeated in ${Math.round(event.delay)} ms: ${event.error.message}`
        : `ignored a response of block ${event.block.height}, which is before block ${event.newest.height}`;
    printMessage(this.#io, `${event.operation}: ${what}`);
  }

  #show(waitsFor: string): void {
    if (!this.#status.isShown || this.signal.aborted) return;
    const lag = this.#block === undefined ? [] : [Math.max(0, Date.now() - Number(this.#block / 1_000_000n))];
    const texts = [...lag.map((each) => `lag ${describeDuration(each)}`), count(this.#records, "record"), waitsFor];
    this.#status.show(texts.join(", "));
  }

  #print(text: string): void {
    if (this.#flags.quiet || this.#flags.verbose) return;
    this.#status.clear();
    printMessage(this.#io, text);
  }
}
