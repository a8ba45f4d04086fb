import { PaginationError, type PaginationErrorOptions } from "../errors/index.js";
import { annotate, type Resume } from "../errors/vega-error.js";
import { type Block, hasNoBlock } from "../http/call.js";

export const readingError = (
  message: string,
  options: PaginationErrorOptions,
  resume: Resume | undefined,
): PaginationError => annotate(new PaginationError(message, options), { resume });

/** What is read begins before the oldest record of the nodes. */
export const prunedError = (
  operation: string | undefined,
  start: bigint,
  availableFrom: bigint,
  resume: Resume | undefined,
): PaginationError =>
  readingError(
    `${operation} begins at ${describeTime(start)}, but the balance changes of the node begin at ${describeTime(availableFrom)}: ` +
      "earlier ones were pruned or never existed. Begin at `availableFrom`, use a node that keeps more, or scan with " +
      '`missingHistory: "ignore"`.',
    { operation, reason: "pruned", availableFrom },
    resume,
  );

/** No node has reached a time. */
export const behindError = (
  operation: string | undefined,
  needed: bigint,
  block: Block | undefined,
  resume: Resume,
): PaginationError =>
  readingError(
    `${operation} needs a node that ` +
      (hasNoBlock(block)
        ? "has a block: this one has no block yet."
        : block === undefined
          ? "names its block, as the responses before did."
          : `has reached ${describeTime(needed)}, not only block ${block.height} at ${describeTime(block.timestamp)}.`) +
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

const describeTime = (time: bigint): string => `${time} (${new Date(Number(time / 1_000_000n)).toISOString()})`;
