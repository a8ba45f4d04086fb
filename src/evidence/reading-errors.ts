import { PaginationError, type PaginationErrorOptions } from "../errors/index.js";
import { annotate } from "../errors/vega-error.js";
import type { Block } from "../http/call.js";
import { toDate } from "../values/times.js";

type Resume = PaginationError["resume"];

export const readingError = (message: string, options: PaginationErrorOptions, resume: Resume): PaginationError =>
  annotate(new PaginationError(message, options), { resume });

/** What is read begins before the oldest record of the nodes. */
export const prunedError = (
  operation: string | undefined,
  start: bigint,
  availableFrom: bigint,
  resume: Resume,
): PaginationError =>
  readingError(
    `The range of ${operation} begins at ${describeTime(start)}, but the balance changes of the node begin at ` +
      `${describeTime(availableFrom)}: earlier records were pruned or never existed. Begin at \`availableFrom\`, use a node that keeps ` +
      'a longer history, or scan what is left with `missingHistory: "ignore"`.',
    { operation, reason: "pruned", availableFrom },
    resume,
  );

/**
 * No node has reached what is read.
 *
 * @param needed - What the node had to reach, in words.
 */
export const behindError = (
  operation: string | undefined,
  needed: string,
  block: Block | undefined,
  resume: Resume,
): PaginationError =>
  readingError(
    `${operation} needs a node that has reached ${needed}, but ` +
      (block === undefined
        ? "the last response names no block, unlike those before."
        : `the last response is of block ${block.height} (${describeTime(block.timestamp)}).`) +
      " Continue later with `resume`, or use a node that has caught up.",
    { operation, reason: "behind", block },
    resume,
  );

/** No response shows what follows records that were read. */
export const gapError = (operation: string | undefined, time: bigint | undefined, resume: Resume): PaginationError =>
  readingError(
    `${operation} got no response with the records both before and after ${time === undefined ? "the last page" : describeTime(time)}, ` +
      "so it is unknown which ones are missing. Continue with `resume` on another node.",
    { operation, reason: "gap" },
    resume,
  );

export const describeTime = (time: bigint): string => `${time} (${toDate(time).toISOString()})`;
