import { operations } from "../../generated/operations.js";
import { blockTimeOf, nanosecondsOf, readCursor, withAccountId } from "../evidence/cursors.js";
import { isSame } from "../evidence/judge.js";
import type { Edge } from "../evidence/page.js";
import type { KnownRecord, PlaceInList } from "../http/expectation.js";
import { afterVotes, continuingAt, identify, readAddedMembers, shortKeyOf } from "./cursors.js";
import type { WalkRequest } from "./plan.js";

/** How a page is requested that follows others, and what it shows if it does. */
export interface Continuation {
  /** `undefined`: from the start of the list. */
  cursor: string | undefined;
  /** The cursor to continue from in another walk, if it is another one. */
  resume?: string | undefined;
  /** Names the place. Continuations of one place lead to the same page. */
  id: string;
  /** How many of the requested records are known. */
  overlap: number;
  /** Default: a page is used without it. */
  continuesFrom?: PlaceInList;
  /** The time that the node must have passed, in Unix nanoseconds: that of the cursor's block. */
  after?: bigint | undefined;
  /** What to continue from if no page shows the place. */
  fallbacks?: readonly Continuation[];
  /** The record to continue after, if nothing else is known: those before it are read first, with {@link fromNeighbor}. */
  only?: KnownRecord;
}

type CursorsLack = WalkRequest<never>["cursorsLack"];

/** Records that are read before the last one, if the account ids of those between are not known. */
const longestOverlap = 50;

interface Known<T> {
  /** The last records, in the order of the walk. */
  edges: readonly Edge<T>[];
  /** How many there are in all, if the walk began at the start of the list. */
  count: number | undefined;
}

/**
 * How to continue after the last one of the records that are known; `undefined` if no cursor leads there.
 *
 * @param endCursor - The cursor of the last record.
 */
export function continuationAfter<T>(
  known: Known<T>,
  endCursor: string,
  cursorsLack: CursorsLack,
): Continuation | undefined {
  const time = nanosecondsOf(endCursor);
  const isReadable = cursorsLack === "proof" ? readCursor(endCursor) !== undefined : time !== undefined;
  if (!cursorsLack || !isReadable) return { cursor: endCursor, id: endCursor, overlap: 0 };
  return cursorsLack === "record" ? fromBlockBefore(known, time ?? 0n) : fromRecordBefore(known.edges, cursorsLack);
}

/** How many votes before the block of the last one are known at least, unless it is one of the first. */
const rememberedVotes = 50;

/**
 * From the vote before the last one that is not of the last block. A node leaves out the first vote of the cursor's block, or of the
 * next one if all of that block were cast again meanwhile: it is known if the page begins before the last block, of which other votes
 * can follow. Otherwise an earlier vote may do, and the start of the list always does.
 */
function fromBlockBefore({ edges, count }: Known<unknown>, to: bigint): Continuation {
  const id = edges.at(-1)?.cursor ?? "";
  const start = startOfBlock(edges, edges.length - 1);
  const ofBlock = edges.slice(start);
  const read = { lastBlock: to, known: ofBlock.map(({ node }) => shortKeyOf(node)) };
  const distances = start < 2 ? [] : start === 2 ? [2] : [2, Math.min(start, rememberedVotes)];
  const guarded = distances.map((distance): Continuation => {
    const { cursor } = edges[start - distance] as Edge<unknown>;
    // Nodes send the block of the cursor as a whole.
    const overlap = edges.length - 1 - startOfBlock(edges, start - distance);
    const continuesFrom = { from: nanosecondsOf(cursor) ?? to, to };
    return { cursor, resume: afterVotes(cursor, read), id, overlap, continuesFrom };
  });
  const whole: Continuation =
    count === undefined
      ? { cursor: id, id, overlap: ofBlock.length, continuesFrom: { without: ofBlock.map(identifyVote) } }
      : { cursor: undefined, resume: afterVotes(id, read), id, overlap: count };
  const [best = whole, ...fallbacks] = [...guarded, whole];
  return { ...best, fallbacks };
}

const identifyVote = ({ node }: Edge<unknown>) => identify(node as object, operations.listVotes.naturalKey);

function startOfBlock(edges: readonly Edge<unknown>[], index: number): number {
  const time = blockTimeOf(edges[index]?.cursor ?? "");
  let start = index;
  while (start > 0 && blockTimeOf(edges[start - 1]?.cursor ?? "") === time) start--;
  return start;
}

/** Adds a page to the records that are known, as far as {@link continuationAfter} needs them. */
export function remember<T>(
  previous: readonly Edge<T>[],
  edges: readonly Edge<T>[],
  cursorsLack: CursorsLack,
  isDescending: boolean,
): readonly Edge<T>[] {
  const inPage = new Set(edges.map(({ cursor }) => cursor));
  const first = nanosecondsOf(edges[0]?.cursor ?? "");
  // A page from the start of the list can end before records that are known, whose block was perhaps not read to its end.
  const isLater = ({ cursor }: Edge<T>) => {
    const time = nanosecondsOf(cursor);
    return first !== undefined && time !== undefined && (isDescending ? time < first : time > first);
  };
  const again = previous.findIndex((edge) => inPage.has(edge.cursor) || isLater(edge));
  const known = [...(again < 0 ? previous : previous.slice(0, again)), ...edges];
  if (cursorsLack !== "record") return known.slice(-1 - longestOverlap);
  const start = startOfBlock(known, known.length - 1);
  // The order of the votes of a block can differ between two pages, so that some are behind the end of this one.
  const time = blockTimeOf(known.at(-1)?.cursor ?? "");
  const behind = previous.slice(Math.max(0, again)).filter((edge) => blockTimeOf(edge.cursor) === time);
  const others = behind.filter((edge) => !inPage.has(edge.cursor) && !known.includes(edge));
  const remembered = known.slice(startOfBlock(known, Math.max(0, start - rememberedVotes)), start);
  return [...remembered, ...others, ...known.slice(start)];
}

/**
 * From the record before the last one, or an earlier one whose account id is known: the page begins with the last record, which
 * shows that the node follows the cursor, and that it has what comes after.
 */
function fromRecordBefore<T>(edges: readonly Edge<T>[], cursorsLack: CursorsLack): Continuation | undefined {
  const last = edges.at(-1);
  if (last === undefined) return undefined;
  const isSound = cursorsLack === "proof";
  const complete = ({ cursor, node }: Edge<T>) =>
    isSound ? cursor : withAccountId(cursor, node as KnownRecord)?.cursor;
  const record = identify(last.node as object, isSound ? operations.listNodeSignatures.naturalKey : undefined);
  for (let overlap = 1; overlap < edges.length && overlap <= longestOverlap; overlap++) {
    const edge = edges[edges.length - 1 - overlap] as Edge<T>;
    const completed = complete(edge);
    if (completed === undefined) continue;
    // v0.74 nodes begin the last page with the cursor's own record, since they compare cursors as text. New signatures can be before it.
    const most = isSound ? longestOverlap : overlap;
    const continuesFrom = { records: [record], most };
    return { cursor: continuingAt(completed, record), id: last.cursor, overlap: most, continuesFrom };
  }
  const own = edges.length === 1 ? complete(last) : undefined;
  return own === undefined ? undefined : { cursor: own, id: last.cursor, overlap: 0, only: record };
}

/** After a cursor that the caller brings, of which no page is known. */
export function continuationFrom(cursor: string, cursorsLack: CursorsLack): Continuation {
  const { own, after, read, last } = readAddedMembers(cursor);
  // On the last page, nodes compare the cursor with that of the first record as text.
  const asSent: Continuation = { cursor: own, resume: cursor, id: cursor, overlap: 0, after };
  const from = nanosecondsOf(cursor);
  if (read && from !== undefined) {
    const { lastBlock, known } = read;
    const whole = { ...asSent, cursor: undefined, overlap: longestOverlap + known.length };
    if (from === lastBlock) return whole;
    return { ...whole, cursor: own, continuesFrom: { from, to: lastBlock }, fallbacks: [whole] };
  }
  const overlap = cursorsLack === "proof" ? longestOverlap : 1;
  if (last) return { ...asSent, overlap, continuesFrom: { records: [last], most: longestOverlap } };
  const { sig } = (cursorsLack === "proof" && readCursor(cursor)) || {};
  if (typeof sig === "string") return { ...asSent, only: { sig } };
  const completed = cursorsLack === "account" && withAccountId(cursor);
  return completed ? { ...asSent, cursor: completed.cursor, only: identify(completed.record) } : asSent;
}

/**
 * From the record before the only known one, or from the start of the list if that is its first one.
 *
 * @param before - Records that end before the known one, in the order of the walk.
 */
export function fromNeighbor<T>(
  before: readonly Edge<T>[],
  { id, after, cursor, only = {} }: Continuation,
): Continuation {
  const edge = [...before].reverse().find(({ node }) => !isSame(only, node));
  const completed = edge && (withAccountId(edge.cursor, edge.node as KnownRecord)?.cursor ?? edge.cursor);
  return {
    cursor: completed && continuingAt(completed, only),
    resume: cursor,
    id,
    after,
    // Newer records can come meanwhile at the start of the list, and another node can have dropped those between.
    overlap: longestOverlap,
    continuesFrom: { records: [only], most: longestOverlap },
  };
}
