import type { FollowEvent } from "vegaprotocol-client/follow";
import { withoutMethods } from "./arguments.js";
import { ExitError, exitCodes } from "./errors.js";
import { giveUpAfter as defaultGiveUpAfter, type Flags } from "./flags.js";
import { count, eraseLine, type Io, isTerminal, printable, printMessage, widthOf } from "./io.js";
import { describeDuration, formatTime } from "./times.js";

/** In milliseconds. */
const interval = 200;

/** How far a command is: one line at the end of a terminal, which is overwritten. */
export function createProgress(io: Io, { quiet, verbose }: Flags, isWanted = true) {
  const isShown = isWanted && !quiet && !verbose && isTerminal(io, io.stderr);
  const startedAt = io.now();
  let printedAt = startedAt;
  let hasLine = false;
  return {
    /** @param time - The time of the last record in Unix nanoseconds, if it has one. */
    update(records: number, time: unknown): void {
      if (!isShown) return;
      const now = io.now();
      if (now - printedAt < interval) return;
      printedAt = now;
      const rate = Math.round((1000 * records) / (now - startedAt)).toLocaleString("en");
      const place = typeof time === "string" ? `, at ${formatTime(time).slice(0, 19)}Z` : "";
      const text = `${count(records, "record")}, ${rate}/s${place}`;
      io.stderr.write(eraseLine + printable(text.slice(0, widthOf(io.stderr) - 1)));
      hasLine = true;
    },
    /** Removes the line, which must not stand between records. */
    clear(): void {
      if (hasLine) io.stderr.write(eraseLine);
      hasLine = false;
    },
  };
}

/** Prints how far a follower is, and ends it if failures last for too long. */
export function createMonitor(io: Io, flags: Flags) {
  const { quiet, verbose, giveUpAfter = defaultGiveUpAfter } = flags;
  const progress = createProgress(io, flags);
  const controller = new AbortController();
  let failingSince: number | undefined;
  /** The waits since then: a machine that is suspended does not wait. */
  let waited = 0;
  let hasRead = false;
  let all = 0;

  const log = (text: string) => verbose && printMessage(io, text);
  const print = (text: string) => !quiet && !verbose && printMessage(io, text);

  return {
    giveUpAfter,
    signal: AbortSignal.any([io.signal, controller.signal]),
    clear: progress.clear,
    /** Failures before anything was read end the follower, too: a name or a certificate may be wrong then. */
    observe(event: FollowEvent): void {
      const { operation } = event;
      if (event.type === "behind") {
        const { block, newest } = event;
        log(`${operation}: ignored a response of block ${block.height}, which is before block ${newest.height}`);
        return;
      }
      const { name } = event.error;
      const message = withoutMethods(event.error.message);
      log(`${operation}: poll failed, repeated in ${Math.round(event.delay)} ms: ${message}`);
      const isFirst = failingSince === undefined;
      // Polls that find nothing new report no progress, although the node responds.
      if (isFirst || event.failures === 1) [failingSince, waited] = [io.now(), 0];
      waited += event.delay;
      if (!hasRead || waited > giveUpAfter) {
        const code = name === "RateLimitError" ? exitCodes.rateLimited : exitCodes.failed;
        controller.abort(new ExitError(message, undefined, code));
      } else if (isFirst) print(`${message.replace(/\.$/, "")}. Retrying for ${describeDuration(giveUpAfter)}.`);
    },
    progressed(records: number, upTo: bigint | undefined): void {
      if (failingSince !== undefined) {
        print(`The node responds again after ${describeDuration(io.now() - failingSince)}.`);
      }
      failingSince = undefined;
      hasRead = true;
      all += records;
      progress.update(all, upTo?.toString());
    },
  };
}
