/** Fetches the page of an anchor: from a node that has reached the block before, and with the proof of its start. */
import type { PaginationError } from "../errors/index.js";
import { type Expectation, MissingEvidence } from "../http/expectation.js";
import { maximum } from "../values/integers.js";
import { resumeAt } from "./advance.js";
import type { Proof } from "./history.js";
import { type NodePage, never, notLater, oldestOf, type PageRequest, timeOf, withRoom } from "./page.js";
import { expectationAt, requestOf, shownFrom } from "./page-request.js";
import type { WalkPlan } from "./plan.js";
import { behindError, gapError, prunedError } from "./reading-errors.js";
import { type Anchor, timeBefore, type WalkState } from "./state.js";

export interface PageOptions {
  signal: AbortSignal;
  /** How many records are needed. Default: all. */
  left?: number;
  /** Whether the caller wants this page and not the list: nothing proves that no record before it is missing. */
  isAlone?: boolean;
}

/** Fetches a page by an anchor; `undefined` if no response shows that it continues there. */
export async function fetchByAnchor<T>(
  walk: WalkPlan<T>,
  state: WalkState<T>,
  anchor: Anchor,
  size: number,
  { signal, isAlone = false }: PageOptions,
): Promise<NodePage<T> | undefined> {
  const request = requestOf(walk, state, anchor, withRoom(size, anchor.skip));
  const expectation = expectationAt(walk, state, anchor, isAlone);
  try {
    const page = await fetchUpToDate(walk, state, request, expectation, signal);
    const start = shownFrom(walk, state, anchor, page.foundIn);
    return isAlone ? page : await proveStart(walk, state, { page, request, expectation, start }, signal);
  } catch (error) {
    if (!MissingEvidence.is(error)) throw error;
    if (error.missing === "place") return undefined;
    const { minBlock = 0n, minBlockAtEnd = 0n } = expectation;
    throw behindError(walk.operation, maximum(minBlock, minBlockAtEnd), error.block, resumeAt(walk, state));
  }
}

/** Proves that a page lacks no record from a time on, if it has to show that. */
async function proveStart<T>(
  walk: WalkPlan<T>,
  state: WalkState<T>,
  proof: Proof<T>,
  signal: AbortSignal,
): Promise<NodePage<T>> {
  const { history, endsAtHistory } = walk;
  const { start, page } = proof;
  const { foundIn } = page;
  const inWindow = foundIn && { request: foundIn, expectation: { ...proof.expectation, continuesFrom: undefined } };
  const oldest = timeOf(oldestOf(page.edges, walk.pagination));
  // A page that is requested once more, and has nothing earlier, was proved as far as it can be. One with a record in
  // the first microsecond is requested because the proof does not show the others there.
  const hasNothingEarlier = state.endsAt === 0n && !page.window && oldest === timeOf(state.lastEdges.at(-1));
  const isProvedBefore = hasNothingEarlier && (oldest ?? 0n) >= start + 1000n;
  const needsProof = history !== undefined && start > 0n && start < never && !isProvedBefore;
  const proved = needsProof ? await history.prove({ ...proof, ...inWindow }, signal) : page;
  const { completeFrom, availableFrom, gapFrom = page.gapFrom ?? 0n } = proved;
  if (availableFrom !== undefined && !endsAtHistory) throw prunedAt(walk, state, start, availableFrom);
  return {
    ...(foundIn ? notLater(proved, page.extra.block) : proved),
    // A scan can read the page again for that, from another window.
    foundIn: proved.foundIn ?? foundIn,
    completeFrom: maximum(completeFrom <= start ? 0n : completeFrom, gapFrom),
    gapFrom,
  };
}

/**
 * Fetches a page. The last page of votes has to come from a node that is later than all before it: a vote that is cast
 * again moves to the end of the list, and of two nodes at one block, one can show it there while the other still shows
 * it where it was.
 */
async function fetchUpToDate<T>(
  walk: WalkPlan<T>,
  { block, again, given }: WalkState<T>,
  request: PageRequest,
  expectation: Expectation,
  signal: AbortSignal,
): Promise<NodePage<T>> {
  const latest = walk.kind === "votes" ? (block?.timestamp ?? given?.minBlock) : undefined;
  if (latest === undefined || !walk.isRecent?.(latest)) return walk.fetchPage(request, expectation, signal);
  const name = again === undefined ? "minBlockAtEnd" : "minBlock";
  try {
    return await walk.fetchPage(request, { ...expectation, [name]: latest + 1n }, signal);
  } catch (error) {
    // The chain may have stopped: the coverage of the walk has no end then.
    if (!MissingEvidence.is(error) || error.missing !== "block") throw error;
    return walk.fetchPage(request, expectation, signal);
  }
}

/** The error of a walk whose next page no response shows: nodes can have dropped the records since the last page. */
export async function gapOrPruned(walk: WalkPlan, state: WalkState, signal: AbortSignal): Promise<PaginationError> {
  const { lastEdges, given } = state;
  const time = timeOf(lastEdges.at(-1)) ?? (given && timeBefore(given));
  const availableFrom = time === undefined ? undefined : await walk.history?.oldestAfter(time, signal);
  if (time === undefined || availableFrom === undefined) return gapError(walk.operation, time, resumeAt(walk, state));
  return prunedAt(walk, state, time, availableFrom);
}

const prunedAt = (walk: WalkPlan, state: WalkState, start: bigint, availableFrom: bigint): PaginationError =>
  prunedError(walk.operation, start, availableFrom, resumeAt(walk, state));
