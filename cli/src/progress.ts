import type { FollowEvent } from "vegaprotocol-client/follow";
import { ExitError, exitCodes } from "./errors.js";
import type { GeneralFlags, PresentationFlags } from "./flags.js";
import { count, type Io, isTerminal, printable, printMessage, widthOf } from "./io.js";
import { formatTime } from "./output/columns.js";
import { describeDuration } from "./times.js";

/** One line at the end of a terminal, which is overwritten. */
export class StatusLine {
  readonly #stderr: Io["stderr"];
  readonly isShown: boolean;
  #hasLine = false;

  /** @param isWanted - Whether it is shown if stderr is a terminal. */
  constructor(io: Io, isWanted: boolean) {
    this.#stderr = io.stderr;
    this.isShown = isWanted && isTerminal(io, io.stderr);
  }

  show(text: string): void {
    if (!this.isShown) return;
    this.#stderr.write(`\r\x1b[K${printable(text).slice(0, widthOf(this.#stderr) - 1)}`);
    this.#hasLine = true;
  }

  clear(): void {
    if (this.#hasLine) this.#stderr.write("\r\x1b[K");
    this.#hasLine = false;
  }
}

/** How often the line is printed again, in milliseconds. */
const interval = 200;

/** How far a command that reads many records is. */
export class Progress {
  readonly #now: () => number;
  readonly #line: StatusLine;
  readonly #startedAt: number;
  #printedAt: number;

  constructor(io: Io, isWanted: boolean) {
    this.#now = io.now;
    this.#line = new StatusLine(io, isWanted);
    this.#startedAt = io.now();
    this.#printedAt = this.#startedAt;
  }

  /** @param time - The time of the last record in Unix nanoseconds, if it has one. */
  update(records: number, time: unknown): void {
    if (!this.#line.isShown) return;
    const now = this.#now();
    if (now - this.#printedAt < interval) return;
    this.#printedAt = now;
    const rate = Math.round((1000 * records) / (now - this.#startedAt)).toLocaleString("en");
    const place = typeof time === "string" ? `, at ${formatTime(time).slice(0, 19)}Z` : "";
    this.#line.show(`${count(records, "record")}, ${rate}/s${place}`);
  }

  clear(): void {
    this.#line.clear();
  }
}

export interface MonitorFlags extends GeneralFlags, Pick<PresentationFlags, "quiet"> {
  /** How long failures may last, in milliseconds. */
  readonly giveUpAfter?: number;
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
  /** Everything before it was read, in Unix nanoseconds. */
  #upTo: bigint | undefined;
  #records = 0;

  constructor(io: Io, flags: MonitorFlags) {
    this.#io = io;
    this.#flags = flags;
    this.#giveUpAfter = flags.giveUpAfter ?? 600_000;
    this.#status = new StatusLine(io, !flags.quiet && !flags.verbose);
    this.signal = AbortSignal.any([io.signal, this.#controller.signal]);
  }

  /**
   * Prints the first failure of each kind. Ends the follower if failures last for too long, or come before anything was read: a name or a
   * certificate may be wrong then.
   */
  readonly observe = (event: FollowEvent): void => {
    if (event.type === "behind") {
      const { operation, block, newest } = event;
      this.#log(`${operation}: ignored a response of block ${block.height}, which is before block ${newest.height}`);
      this.#show("waits for a node that is behind");
      return;
    }
    const { operation, error, delay } = event;
    const { name, message, status } = error;
    this.#log(`${operation}: poll failed, repeated in ${Math.round(delay)} ms: ${message}`);
    this.#since ??= this.#io.now();
    if (this.#upTo === undefined || this.#io.now() - this.#since + delay > this.#giveUpAfter) {
      const code = name === "RateLimitError" ? exitCodes.rateLimited : exitCodes.failed;
      this.#controller.abort(new ExitError(message, code));
      return;
    }
    const kind = `${name} ${status}`;
    if (!this.#kinds.has(kind)) this.#print(`${message}. Retrying for ${describeDuration(this.#giveUpAfter)}.`);
    this.#kinds.add(kind);
    this.#show(`retries in ${describeDuration(delay)}`);
  };

  /** Called with what was printed or stored. */
  progressed(records: number, upTo = this.#upTo ?? 0n): void {
    if (this.#since !== undefined) {
      this.#print(`The node responds again after ${describeDuration(this.#io.now() - this.#since)}.`);
    }
    this.#since = undefined;
    this.#kinds.clear();
    this.#upTo = upTo;
    this.#records += records;
    this.#show("waits for the next block");
  }

  /** Removes the line of the status, which must not stand between records. */
  clear(): void {
    this.#status.clear();
  }

  #log(text: string): void {
    if (this.#flags.verbose) printMessage(this.#io, text);
  }

  #show(waitsFor: string): void {
    if (!this.#status.isShown || this.signal.aborted) return;
    const lag = this.#upTo && Math.max(0, Date.now() - Number(this.#upTo / 1_000_000n));
    const texts = [...(lag ? [`lag ${describeDuration(lag)}`] : []), count(this.#records, "record"), waitsFor];
    this.#status.show(texts.join(", "));
  }

  #print(text: string): void {
    if (this.#flags.quiet || this.#flags.verbose) return;
    this.#status.clear();
    printMessage(this.#io, text);
  }
}
