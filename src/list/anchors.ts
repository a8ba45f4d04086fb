/**
 * How a walk continues although the cursors of nodes are unreliable: by anchors, the best one first. An anchor is a
 * place before the last known record, so that the page begins with known records, which show that the node has read on
 * from there and left nothing out. What is known is left out of the result.
 *
 * Which anchors there are depends on the defects of a list's cursors, which are described at `ListKind`.
 */
import { operations } from "../../generated/operations.js";
import type { KnownRecord } from "../http/expectation.js";
import { continuingAt, type GivenCursor, identify } from "./client-cursors.js";
import { nanosecondsOf, readCursor, withAccountId } from "./cursors.js";
import { largestPage, room, timeOf } from "./page.js";
import type { ListKind, WalkPlan } from "./plan.js";
import { type Anchor, lastCursorOf, timeBefore, type WalkState } from "./state.js";
import { beforeBlock, fromVotes } from "./votes.js";

/** The ways to request the page after a state, the best one first; none if no cursor leads on. */
export function anchorsOf(walk: Pick<WalkPlan, "kind" | "operation">, state: WalkState): readonly Anchor[] {
  const { kind } = walk;
  const { pages, given, cursor } = state;
  if (pages === 0) return given ? fromGiven(walk, given) : [{ skip: 0 }];
  const place = lastCursorOf(state);
  const isReadable = kind === "signatures" ? readCursor(place) !== undefined : nanosecondsOf(place) !== undefined;
  if (!kind || !isReadable) return [{ cursor, skip: 0 }];
  return kinds[kind].before(state);
}

/** After a cursor that the caller brings, of which no page is known. */
function fromGiven({ kind, operation }: Pick<WalkPlan, "kind" | "operation">, given: GivenCursor): readonly Anchor[] {
  const { own, cursor } = given;
  // As the node wrote it: on the last page, nodes compare it with the first record's cursor as text. Cursors of a
  // caller's own source can have members of the same names.
  const asSent: Anchor = { cursor: operation ? own : cursor, resume: cursor, skip: 0 };
  const anchors = kind ? kinds[kind].from(given, asSent) : [];
  return anchors.length > 0 ? anchors : [asSent];
}

/** Begins at the change before the last one; at the last block if the account id of that one is unknown. */
function beforeChange({ lastEdges }: WalkState): readonly Anchor[] {
  const last = lastEdges.at(-1);
  if (last === undefined) return [];
  const record = identify(last.node as object);
  const before = lastEdges.at(-2);
  const named = before && withAccountId(before.cursor, before.node as KnownRecord)?.cursor;
  // v0.74 nodes begin the last page with the cursor's own record, since they compare cursors as text.
  if (named) return [{ cursor: continuingAt(named, record), skip: 1, continuesFrom: { records: [record], most: 1 } }];
  const own = withAccountId(last.cursor, last.node as KnownRecord)?.cursor;
  return own === undefined ? [] : fromTime(timeOf(last), record, own);
}

/** Begins at a time, or the start of the list. More records than a page has room for can come before the known one. */
const fromTime = (at: bigint | undefined, record: KnownRecord, resume: string): readonly Anchor[] =>
  [room, largestPage].map((skip) => ({ at, skip, continuesFrom: { records: [record] }, resume }));

/** Begins at the signature before the last one, or at the start of the list. New ones can come before any other. */
function beforeSignature({ lastEdges }: WalkState): readonly Anchor[] {
  const last = lastEdges.at(-1);
  if (last === undefined) return [];
  const record = identify(last.node as object, operations.listNodeSignatures.naturalKey);
  const before = lastEdges.at(-2);
  if (before === undefined) return fromTime(undefined, record, last.cursor);
  const continuesFrom = { records: [record], most: room };
  return [{ cursor: continuingAt(before.cursor, record), skip: room, continuesFrom }];
}

function fromSignature({ cursor, last }: GivenCursor, asSent: Anchor): readonly Anchor[] {
  if (last) return [{ ...asSent, skip: room, continuesFrom: { records: [last], most: room } }];
  const { sig } = readCursor(cursor) ?? {};
  return typeof sig === "string" ? fromTime(undefined, { sig }, cursor) : [];
}

function fromChange(given: GivenCursor, asSent: Anchor): readonly Anchor[] {
  const { cursor, last } = given;
  const record = last ?? withAccountId(cursor)?.record;
  const blocks = record ? fromTime(timeBefore(given), record, cursor) : [];
  return last ? [{ ...asSent, skip: 1, continuesFrom: { records: [last], most: room } }, ...blocks] : blocks;
}

/** How each kind of list continues: before the last records that were read, and from the caller's cursor. */
const kinds: Record<
  ListKind,
  { before(state: WalkState): readonly Anchor[]; from(given: GivenCursor, asSent: Anchor): readonly Anchor[] }
> = {
  votes: { before: beforeBlock, from: fromVotes },
  changes: { before: beforeChange, from: fromChange },
  signatures: { before: beforeSignature, from: fromSignature },
};
