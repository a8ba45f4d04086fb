import type { Coverage } from "../errors/index.js";
import { type Block, finalTime, laterOf } from "../values/block.js";
import { maximum, minimum } from "../values/integers.js";
import type { GivenCursor } from "./client-cursors.js";
import { nanosecondsOf } from "./cursors.js";
import { type Edge, isDescending, timeOf } from "./page.js";
import type { WalkPlan } from "./plan.js";
import type { ListPage } from "./read-page.js";
import { timeBefore } from "./state.js";

/**
 * The range of time for which a walk is complete.
 *
 * It starts where the pages begin to show that no record is missing, or after the record of the caller's cursor. It
 * ends with a block, whose own records are not covered: oldest first with the block of the last page, otherwise with
 * the block of the first one, since newer records are not read. Votes can be cast again: their end needs a last page
 * that is later than all others. A walk that the caller leaves, or that ends with an error, covers the time up to its
 * last record.
 */
export class WalkCoverage<T> {
  readonly #plan: WalkPlan<T>;
  readonly #given: GivenCursor | undefined;
  /** The time from which the pages show that no record is missing. */
  #completeFrom = 0n;
  #blocks: { first: Block | undefined; last: Block | undefined; newest: Block | undefined } | undefined;
  /** Whether all pages had block headers, including the page that the caller's cursor is from. */
  #hasAllBlocks = true;
  /** Whether the last page is of a later block than those before: then no vote has moved past the walk unseen. */
  #isLatest = true;
  #first: Edge<T> | undefined;
  last: Edge<T> | undefined;

  constructor(plan: WalkPlan<T>, given: GivenCursor | undefined) {
    this.#plan = plan;
    this.#given = given;
  }

  /** Adds a page, with the first record that is taken from it, and the last record of the walk so far. */
  note(
    { block, completeFrom, isWholeList }: ListPage<T>,
    firstEdge: Edge<T> | undefined,
    last: Edge<T> | undefined,
  ): void {
    const { first, newest } = this.#blocks ?? { first: block, newest: undefined };
    const given = this.#given;
    const earlier = maximum(newest?.timestamp ?? -1n, given?.minBlock ?? -1n);
    // A page without a block can be from a node that is ahead, as can the page that a cursor without a block is from.
    this.#hasAllBlocks &&= block !== undefined && (given?.votes === undefined || given.latest !== undefined);
    this.#isLatest =
      (isWholeList && !given) || (this.#hasAllBlocks && block !== undefined && block.timestamp > earlier);
    this.#blocks = { first, last: block, newest: laterOf(newest, block) };
    this.#completeFrom = maximum(this.#completeFrom, completeFrom);
    this.#first ??= firstEdge;
    this.last = last;
  }

  /** The coverage of a walk that ends at a record; `undefined` if it has read none. */
  upTo(edge: Edge<T> | undefined): Coverage {
    const { pagination, range } = this.#plan;
    const whole = this.whole();
    const time = edge && (nanosecondsOf(edge.cursor) ?? (range && timeOf(edge)));
    const isDown = isDescending(pagination);
    const bound = isDown ? (range?.end ?? whole.end) : range?.start;
    return coverageUpTo(time, whole, isDown, this.#timeBefore ?? bound ?? 0n);
  }

  /** The coverage of a walk that has read the whole list. */
  whole(): Coverage {
    const { pagination, range } = this.#plan;
    const [before, reached] = [this.#timeBefore, this.#end];
    // The record of the caller's cursor can be after the range.
    const end = reached && minimum(reached, range?.end ?? reached);
    const shown = minimum(this.#completeFrom, end ?? range?.end ?? this.#completeFrom);
    const after = isDescending(pagination) || before === undefined ? 0n : before + 1n;
    const start = [range?.start ?? 0n, shown].reduce(maximum, after);
    // A range can begin after the newest block.
    return { start, end: end === undefined ? undefined : maximum(end, start), block: this.#blocks?.newest };
  }

  /** The time of the record before the walk; of its first record if the cursor does not show it. */
  get #timeBefore(): bigint | undefined {
    const given = this.#given;
    return given && (timeBefore(given) ?? (this.#plan.range && timeOf(this.#first)));
  }

  /** The end of the coverage once the walk has ended; `undefined` if nothing shows it. */
  get #end(): bigint | undefined {
    const { kind, pagination } = this.#plan;
    const [given, before, isDown] = [this.#given, this.#timeBefore, isDescending(pagination)];
    // Votes that were cast again since the first page are unknown without the block of that page.
    const isBlind = isDown && given !== undefined && given.firstBlock === undefined;
    if (kind === "votes" && (isBlind || !this.#isLatest)) return undefined;
    if (isDown && before !== undefined) return before;
    const cursor = this.last?.cursor ?? given?.cursor;
    // Without times in cursors, as in cursors of the gateway, the coverage ends with the block of the first page. So do
    // lists that are not in the order of time: new records can come before those that were read.
    const isTimed = cursor !== undefined && nanosecondsOf(cursor) !== undefined;
    if (given !== undefined && !isTimed && kind !== "signatures") return undefined;
    const { first, last } = this.#blocks ?? {};
    const block = first && isTimed && !isDown ? last : first;
    // Signatures that arrived since the first page can sort before the cursor, where this walk does not read.
    const seen = kind === "signatures" && given ? given.firstBlock : block?.timestamp;
    if (block === undefined || seen === undefined) return undefined;
    return finalTime(minimum(block.timestamp, seen));
  }
}

/**
 * The coverage if reading ends at a record of a time: its block can have more records.
 *
 * @param time - `undefined` if nothing was read. Then `none` is where the reading would have begun.
 */
export function coverageUpTo(time: bigint | undefined, whole: Coverage, isDown: boolean, none: bigint): Coverage {
  if (time === undefined) return { ...whole, start: none, end: none };
  const start = isDown ? maximum(time + 1n, whole.start) : whole.start;
  const end = isDown ? whole.end : time;
  // The last record can be of the newest block, and parts of a filter without a record are not proved before the end.
  return { ...whole, start: end === undefined ? start : minimum(start, end), end };
}
