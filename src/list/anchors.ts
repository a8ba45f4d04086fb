/**
 * How a walk continues although the cursors of nodes are unreliable: by anchors, the best one first. An anchor is a
 * place before the last known record, so that the page begins with known records, which show that the node has read on
 * from there and left nothing out. What is known is left out of the result.
 *
 * Which anchors there are depends on the defects of a list's cursors. v0.74 nodes compare the cursors of balance
 * changes with an account id that these do not have, and the cursors of votes by their block alone. Cursors of
 * signatures are sound, but a node that does not have the record of one yet leaves out the record behind it.
 */
import { operations } from "../../generated/operations.js";
import type { KnownRecord, PlaceInList } from "../http/expectation.js";
import { afterVotes, continuingAt, identify, shortKeyOf } from "./client-cursors.js";
import { nanosecondsOf, readCursor, withAccountId } from "./cursors.js";
import { type Edge, largestPage, room, timeOf } from "./page.js";
import type { WalkPlan } from "./plan.js";
import { type GivenCursor, placeOf, rememberedVotes, startOfBlock, timeBefore, type WalkState } from "./state.js";

/** One way to request the page after a state. */
export interface Anchor {
  /** The cursor to request with. Default: from the start of the list, or from `at` on. */
  readonly cursor?: string | undefined;
  /** The time from which records are requested without a cursor: in Unix nanoseconds, in the direction of the walk. */
  readonly at?: bigint | undefined;
  /** How many of the requested records are known. */
  readonly skip: number;
  /** The records with which the page must begin. Default: it is used as it is. */
  readonly continuesFrom?: PlaceInList | undefined;
  /** The time that the node must have passed, in Unix nanoseconds. */
  readonly after?: bigint | undefined;
  /** The cursor to continue with in another walk, if it is another one. */
  readonly resume?: string | undefined;
}

/** The ways to request the page after a state, the best one first; none if no cursor leads on. */
export function anchorsOf({ cursorsLack }: Pick<WalkPlan, "cursorsLack">, state: WalkState): readonly Anchor[] {
  const { pages, given, until, window, cursor } = state;
  if (pages === 0) return given && until === undefined ? fromGiven(given, cursorsLack) : [{ skip: 0 }];
  const place = placeOf(state);
  const isReadable = cursorsLack === "proof" ? readCursor(place) !== undefined : nanosecondsOf(place) !== undefined;
  if (!cursorsLack || !isReadable) return [{ cursor, skip: 0 }];
  if (cursorsLack === "record") return beforeBlock(state);
  return cursorsLack === "proof" ? beforeSignature(window) : beforeChange(window);
}

/** Begins at the change before the last one or an earlier one with a known account id; otherwise at the last block. */
function beforeChange(window: readonly Edge<unknown>[]): readonly Anchor[] {
  const last = window.at(-1);
  if (last === undefined) return [];
  const record = identify(last.node as object);
  for (let skip = 1; skip < window.length && skip <= room; skip++) {
    const { cursor, node } = window[window.length - 1 - skip] as Edge<unknown>;
    const completed = withAccountId(cursor, node as KnownRecord)?.cursor;
    if (completed === undefined) continue;
    // v0.74 nodes begin the last page with the cursor's own record, since they compare cursors as text.
    const continuesFrom = { records: [record], most: skip };
    return [{ cursor: continuingAt(completed, record), skip, continuesFrom }];
  }
  const own = withAccountId(last.cursor, last.node as KnownRecord)?.cursor;
  return own === undefined ? [] : fromBlock(timeOf(last), record, own);
}

/** Begins at the block of a change, which can have more records than a page has room for. */
const fromBlock = (at: bigint | undefined, record: KnownRecord, resume: string): readonly Anchor[] =>
  [room, largestPage].map((skip) => ({ at, skip, continuesFrom: { records: [record] }, resume }));

/** Begins at the signature before the last one, or at the start of the list. New ones can come before any other. */
function beforeSignature(window: readonly Edge<unknown>[]): readonly Anchor[] {
  const last = window.at(-1);
  if (last === undefined) return [];
  const record = identify(last.node as object, operations.listNodeSignatures.naturalKey);
  const before = window.at(-2);
  if (before === undefined) return fromStart(record, last.cursor);
  const continuesFrom = { records: [record], most: room };
  return [{ cursor: continuingAt(before.cursor, record), skip: room, continuesFrom }];
}

const fromStart = (record: KnownRecord, resume: string): readonly Anchor[] =>
  [room, largestPage].map((skip) => ({ skip, continuesFrom: { records: [record] }, resume }));

/**
 * Begins at the vote before the last one that is not of the last block. A node leaves out the first vote of the
 * cursor's block, or of the next one if all of that block were cast again meanwhile: it is known if the page begins
 * before the last block, of which other votes can follow. Otherwise an earlier vote may do, and the start of the list
 * always does. Each node sorts the votes of a block in its own way, so that a page can have known votes alone: the
 * largest page has all of the block.
 */
function beforeBlock({ window, count, given }: WalkState): readonly Anchor[] {
  const id = window.at(-1)?.cursor ?? "";
  const to = nanosecondsOf(id) ?? 0n;
  const start = startOfBlock(window, window.length - 1);
  const ofBlock = window.slice(start);
  // Votes of the block that an earlier page had can be behind the end of this one.
  const earlier = given?.read?.lastBlock === to ? given.read.known : [];
  const known = new Set([...earlier, ...ofBlock.map(({ node }) => shortKeyOf(node))]);
  const resumeFrom = (cursor: string) => afterVotes(cursor, { lastBlock: to, known: [...known] });
  const distances = start < 2 ? [] : start === 2 ? [2] : [2, Math.min(start, rememberedVotes)];
  const guarded = distances.map((distance): Anchor => {
    const { cursor } = window[start - distance] as Edge<unknown>;
    // Nodes send the block of the cursor as a whole.
    const skip = window.length - 1 - startOfBlock(window, start - distance);
    const continuesFrom = { from: nanosecondsOf(cursor) ?? to, to };
    return { cursor, resume: resumeFrom(cursor), skip, continuesFrom };
  });
  const resume = resumeFrom(id);
  const whole: Anchor =
    count === undefined
      ? { cursor: id, resume, skip: ofBlock.length, continuesFrom: { without: ofBlock.map(identifyVote) } }
      : { resume, skip: count };
  const [best = whole] = guarded;
  return [...guarded, whole, { ...best, skip: largestPage }];
}

const identifyVote = ({ node }: Edge<unknown>) => identify(node as object, operations.listVotes.naturalKey);

/** After a cursor that the caller brings, of which no page is known. */
function fromGiven(given: GivenCursor, cursorsLack: WalkPlan["cursorsLack"]): readonly Anchor[] {
  const { cursor, own, after, read, last } = given;
  // On the last page, nodes compare the cursor with the first record's cursor as text.
  const asSent: Anchor = { cursor: own, resume: cursor, skip: 0, after };
  const time = nanosecondsOf(cursor);
  if (read && time !== undefined) {
    const { lastBlock, known } = read;
    const whole = { ...asSent, cursor: undefined, skip: room + known.length };
    const largest = { ...whole, skip: largestPage };
    if (time === lastBlock) return [whole, largest];
    return [{ ...whole, cursor: own, continuesFrom: { from: time, to: lastBlock } }, whole, largest];
  }
  if (cursorsLack === "proof") {
    const { sig } = readCursor(cursor) ?? {};
    const sent = last && { ...asSent, skip: room, continuesFrom: { records: [last], most: room } };
    if (sent) return [sent];
    return typeof sig === "string" ? fromStart({ sig }, cursor).map((anchor) => ({ ...anchor, after })) : [asSent];
  }
  if (cursorsLack !== "account") return [asSent];
  const named = withAccountId(cursor);
  const record = last ?? (named && identify(named.record));
  const others = record && time !== undefined ? fromBlock(timeBefore(given), record, cursor) : [];
  const blocks = others.map((anchor) => ({ ...anchor, after }));
  if (last) return [{ ...asSent, skip: 1, continuesFrom: { records: [last], most: room } }, ...blocks];
  return blocks.length > 0 ? blocks : [asSent];
}
