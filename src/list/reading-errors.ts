import { PaginationError, type Resume, unlessThrown } from "../errors/index.js";
import { type Block, hasNoBlock } from "../values/block.js";

export const prunedError = (operation: string | undefined, start: bigint, availableFrom: bigint, resume: Resume) =>
  new PaginationError(
    `${operation} begins at ${describeTime(start)}, but the balance changes of the node begin at ${describeTime(availableFrom)}: ` +
      "earlier ones were pruned or never existed. Begin at `availableFrom`, or use a node that keeps more.",
    { operation, reason: "pruned", availableFrom, resume },
  );

export const behindError = (operation: string | undefined, needed: bigint, block: Block | undefined, resume: Resume) =>
  new PaginationError(
    `${operation} received a response ` +
      (hasNoBlock(block)
        ? "of a node that has no block yet."
        : block === undefined
          ? "without block headers, unlike earlier ones."
          : `of block ${block.height} at ${describeTime(block.timestamp)}, but needs a node that has reached ${describeTime(needed)}.`) +
      " Continue later with `resume`, or use a node that has caught up.",
    { operation, reason: "behind", block, resume },
  );

export const gapError = (operation: string | undefined, time: bigint | undefined, resume: Resume) =>
  new PaginationError(
    `${operation}: no response contained both the records up to ${time === undefined ? "the last page" : describeTime(time)} and ` +
      "what follows them, so records may be missing. Continue with `resume` on another node.",
    { operation, reason: "gap", resume },
  );

/** Nodes can send times that a `Date` cannot hold. */
function describeTime(time: bigint): string {
  const text = unlessThrown(() => new Date(Number(time / 1_000_000n)).toISOString());
  return text === undefined ? String(time) : `${time} (${text})`;
}
