/**
 * Votes move: a vote that is cast again, and each vote of a proposal that closes, is listed at the block in which it was
 * last written. Their cursor is only a block time, so a node leaves out the first vote of that block.
 *
 * So a walk of votes knows all votes that it has read, and leaves them out wherever they come again (`takeVotes`). Each
 * page begins at a vote that is known, before the last block, whose other votes may follow (`beforeBlock`). Oldest
 * first, votes move ahead of the walk: its last page comes from a node that is later than all before (`fetchUpToDate`
 * in `fetch-page.ts`). Newest first, they move behind it: the votes since the first page are read a second time, up to
 * the block of that page (`startAgain` in `advance.ts`). That is repeated while new blocks arrive, and yields only votes
 * that have changed.
 */
import { unlessMissing } from "../http/expectation.js";
import { sha256Hex } from "../values/sha256.js";
import { afterVotes, type GivenCursor, type ReadVotes, voteKeyOf } from "./client-cursors.js";
import { nanosecondsOf } from "./cursors.js";
import { type Edge, inWalkOrder, isDescending, largestPage, never, opposite, room } from "./page.js";
import { pageAfter, type WalkPlan } from "./plan.js";
import { type Anchor, hasKey, type WalkState } from "./state.js";

const shortKeyOf = (vote: unknown): string => sha256Hex(voteKeyOf(vote)).slice(0, 16);

/** Whether a vote was read before. A node's own cursor does not tell which votes of its block were. */
function isRead({ lastBlock, known }: ReadVotes, vote: unknown, isDown: boolean, time = lastBlock): boolean {
  if (time === lastBlock) return known.length === 0 || known.includes(shortKeyOf(vote));
  return isDown ? time > lastBlock : time < lastBlock;
}

/**
 * Leaves out votes that were read before: one can come again at any distance. Takes at most `most` votes that the
 * caller's cursor does not contain, and in addition new votes from before that cursor, and all of its block after a
 * node's own cursor: a block can fill a page. `hasFurther` is whether a vote leads on.
 */
export function takeVotes<T>(walk: WalkPlan, state: WalkState, edges: readonly Edge<T>[], most: number) {
  const { seen, given, firstBlock, again } = state;
  const isDown = isDescending(walk.pagination, state.direction);
  const since = again?.until ?? firstBlock;
  const unsure = given?.votes?.known.length === 0 ? given.votes.lastBlock : never;
  // Cursors are parsed only where their times matter.
  const isTimed = since !== undefined || given?.votes !== undefined;
  const fresh = new Map<string, Edge<T>>();
  let taken = 0;
  let further = 0;
  for (const edge of edges) {
    const key = voteKeyOf(edge.node);
    // Votes that were cast since the first page are unknown: they can be known votes that have moved.
    const time = isTimed ? nanosecondsOf(edge.cursor) : undefined;
    const isNew = (since !== undefined && (time ?? since) >= since) || time === unsure;
    // A second reading is for these votes alone.
    const isFurther = again ? isNew : !(given?.votes && isRead(given.votes, edge.node, isDown, time));
    const isKnown = fresh.has(key) || hasKey(seen, key) || !(isNew || isFurther);
    if (!isKnown) {
      if (further === most) break;
      fresh.set(key, edge);
      if (isFurther) further++;
    }
    taken++;
  }
  return { taken, fresh: [...fresh.values()], keys: [...fresh.keys()], hasFurther: further > 0 };
}

/** How many votes before the last block a state remembers: fewer at the start of the list. */
const rememberedVotes = 50;

function startOfBlock(edges: readonly Edge<unknown>[], index: number): number {
  const time = nanosecondsOf(edges[index]?.cursor ?? "");
  let start = index;
  while (start > 0 && nanosecondsOf(edges[start - 1]?.cursor ?? "") === time) start--;
  return start;
}

/** The votes that a state remembers after a page: the last block, and some before it. */
export function votesToRemember<T>(previous: readonly Edge<T>[], page: readonly Edge<T>[], isDown: boolean) {
  const timeAt = (edge: Edge<T> | undefined) => nanosecondsOf(edge?.cursor ?? "") ?? 0n;
  const [first, last] = [timeAt(page[0] ?? previous.at(-1)), timeAt(page.at(-1))];
  const cursors = new Set(page.map(({ cursor }) => cursor));
  const others = previous.filter(({ cursor }) => !cursors.has(cursor));
  const isBefore = (time: bigint) => (isDown ? time >= first : time <= first);
  // A page from the start of the list can end before the known votes do. The rest of them is forgotten, because their
  // block may not have been read to its end.
  const known = [...others.filter((edge) => isBefore(timeAt(edge))), ...page];
  // The order of the votes of a block can differ between two pages, so that some are behind the end of this one.
  const behind = others.filter((edge) => timeAt(edge) === last && last !== first);
  const start = startOfBlock(known, known.length - 1);
  const remembered = known.slice(startOfBlock(known, Math.max(0, start - rememberedVotes)), start);
  return [...remembered, ...behind, ...known.slice(start)];
}

/**
 * Begins at the vote before the last one that is not of the last block. A node leaves out the first vote of the
 * cursor's block, or of the next one if all of that block were cast again meanwhile: it is known if the page begins
 * before the last block, of which other votes can follow. Otherwise an earlier vote may do, and the start of the list
 * always does. Each node sorts the votes of a block in its own way, so that a page can have known votes alone: the
 * largest page has all of the block.
 */
export function beforeBlock({ lastEdges, count, given }: WalkState): readonly Anchor[] {
  const lastCursor = lastEdges.at(-1)?.cursor ?? "";
  const to = nanosecondsOf(lastCursor) ?? 0n;
  const start = startOfBlock(lastEdges, lastEdges.length - 1);
  const ofBlock = lastEdges.slice(start);
  // Votes of the block that an earlier page had can be behind the end of this one.
  const earlier = given?.votes?.lastBlock === to ? given.votes.known : [];
  const known = new Set([...earlier, ...ofBlock.map(({ node }) => shortKeyOf(node))]);
  const resumeFrom = (cursor: string, skip = 0) => afterVotes(cursor, { lastBlock: to, known: [...known], skip });
  const distances = start < 2 ? [] : new Set([2, Math.min(start, rememberedVotes)]);
  const guarded = [...distances].map((distance): Anchor => {
    const { cursor } = lastEdges[start - distance] as Edge<unknown>;
    // Nodes send the block of the cursor as a whole.
    const skip = lastEdges.length - 1 - startOfBlock(lastEdges, start - distance);
    const continuesFrom = { from: nanosecondsOf(cursor) ?? to, to };
    return { cursor, resume: resumeFrom(cursor, skip), skip, continuesFrom };
  });
  const resume = resumeFrom(lastCursor);
  const whole: Anchor = { resume, skip: count };
  const [best = whole] = guarded;
  return [...guarded, whole, { ...best, skip: largestPage }];
}

/** After the votes that a cursor of the client contains. */
export function fromVotes({ own, votes }: GivenCursor, asSent: Anchor): readonly Anchor[] {
  if (votes === undefined) return [];
  const { lastBlock, known, skip } = votes;
  const time = nanosecondsOf(own) ?? lastBlock;
  const whole = { ...asSent, cursor: undefined, skip: Math.max(skip, room + known.length) };
  const rest = [whole, { ...whole, skip: largestPage }];
  if (time === lastBlock) return rest;
  return [{ ...whole, cursor: asSent.cursor, continuesFrom: { from: time, to: lastBlock } }, ...rest];
}

/**
 * Adds a vote from before the block of a node's own cursor, which is only a block time, so that a page can begin before
 * that block. All votes of the block come again: the cursor does not contain which of them the caller has.
 */
export async function withEarlierVote<T>(walk: WalkPlan<T>, state: WalkState<T>, signal: AbortSignal) {
  const { given } = state;
  if (walk.kind !== "votes" || given === undefined || given.votes) return state;
  const time = nanosecondsOf(given.own);
  if (time === undefined) return state;
  const back = opposite(state.direction);
  const pagination = pageAfter(walk, back, given.own, room);
  const page = await unlessMissing(walk.fetchPage({ pagination }, { minBlock: time }, signal));
  const earlier = inWalkOrder(page?.edges ?? [], back).filter(({ cursor }) => nanosecondsOf(cursor) !== time);
  const votes: ReadVotes = { lastBlock: time, known: [], skip: 0 };
  return { ...state, given: { ...given, own: earlier[1]?.cursor ?? given.own, votes } };
}
