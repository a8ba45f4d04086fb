import type { FollowEvent } from "vegaprotocol-client/follow";
import { ExitError, exitCodes } from "./errors.js";
import { giveUpAfter as defaultGiveUpAfter, type Flags } from "./flags.js";
import { count, type Io, isTerminal, printMessage, widthOf } from "./io.js";
import { formatTime } from "./output/time-format.js";
import { describeDuration } from "./times.js";

/** How often the line is printed again, in milliseconds. */
const interval = 200;

/** How far a command is: one line at the end of a terminal, which is overwritten. */
export class Progress {
  readonly #io: Io;
  readonly #isShown: boolean;
  readonly #startedAt: number;
  #printedAt: number;
  #hasLine = false;

  constructor(io: Io, { quiet, verbose }: Flags, isWanted = true) {
    this.#io = io;
    this.#isShown = isWanted && !quiet && !verbose && isTerminal(io, io.stderr);
    this.#startedAt = io.now();
    this.#printedAt = this.#startedAt;
  }

  /** @param time - The time of the last record in Unix nanoseconds, if it has one. */
  update(records: number, time: unknown): void {
    if (!this.#isShown) return;
    const now = this.#io.now();
    if (now - this.#printedAt < interval) return;
    this.#printedAt = now;
    const rate = Math.round((1000 * records) / (now - this.#startedAt)).toLocaleString("en");
    const place = typeof time === "string" ? `, at ${formatTime(time).slice(0, 19)}Z` : "";
    const text = `${count(records, "record")}, ${rate}/s${place}`;
    this.#io.stderr.write(`\r\x1b[K${text.slice(0, widthOf(this.#io.stderr) - 1)}`);
    this.#hasLine = true;
  }

  /** Removes the line, which must not stand between records. */
  clear(): void {
    if (this.#hasLine) this.#io.stderr.write("\r\x1b[K");
    this.#hasLine = false;
  }
}

/** Prints how far a follower is, and ends it if failures last for too long. */
export class Monitor {
  readonly #io: Io;
  readonly #flags: Flags;
  readonly #progress: Progress;
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  readonly giveUpAfter: number;
  /** When the failures began. */
  #failingSince: number | undefined;
  #hasRead = false;
  #records = 0;

  constructor(io: Io, flags: Flags) {
    this.#io = io;
    this.#flags = flags;
    this.giveUpAfter = flags.giveUpAfter ?? defaultGiveUpAfter;
    this.#progress = new Progress(io, flags);
    this.signal = AbortSignal.any([io.signal, this.#controller.signal]);
  }

  /** Failures before anything was read end the follower, too: a name or a certificate may be wrong then. */
  readonly observe = (event: FollowEvent): void => {
    if (event.type === "behind") {
      const { operation, block, newest } = event;
      this.#log(`${operation}: ignored a response of block ${block.height}, which is before block ${newest.height}`);
      return;
    }
    const { operation, error, delay } = event;
    const { name, message } = error;
    this.#log(`${operation}: poll failed, repeated in ${Math.round(delay)} ms: ${message}`);
    const now = this.#io.now();
    const isFirst = this.#failingSince === undefined;
    this.#failingSince ??= now;
    if (!this.#hasRead || now - this.#failingSince + delay > this.giveUpAfter) {
      const code = name === "RateLimitError" ? exitCodes.rateLimited : exitCodes.failed;
      this.#controller.abort(new ExitError(message, code));
    } else if (isFirst) this.#print(`${message}. Retrying for ${describeDuration(this.giveUpAfter)}.`);
  };

  /** Called with printed or stored records. */
  progressed(records: number, upTo: bigint | undefined): void {
    if (this.#failingSince !== undefined) {
      this.#print(`The node responds again after ${describeDuration(this.#io.now() - this.#failingSince)}.`);
    }
    this.#failingSince = undefined;
    this.#hasRead = true;
    this.#records += records;
    this.#progress.update(this.#records, upTo?.toString());
  }

  clear(): void {
    this.#progress.clear();
  }

  #log(text: string): void {
    if (this.#flags.verbose) printMessage(this.#io, text);
  }

  #print(text: string): void {
    if (this.#flags.quiet || this.#flags.verbose) return;
    this.#progress.clear();
    printMessage(this.#io, text);
  }
}
