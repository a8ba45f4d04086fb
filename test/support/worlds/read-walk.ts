import { type BalanceChange, type Coverage, PaginationError, type VegaError } from "../../../src/index.js";
import type { Range, Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, inListOrder, isWanted, oldestOf, show, timeOf } from "./records.js";

/** What a walk yields: a page of the client, or one of a loop over responses of `serve`. */
export interface AnyPage<T> {
  readonly nodes: readonly T[];
  readonly block: { readonly timestamp: bigint } | undefined;
}

/** The pages of a walk. */
export interface Pages<T> extends AsyncIterable<AnyPage<T>> {
  /** What it has read, if it says so, once it has ended. */
  coverage?(): Promise<Coverage | undefined>;
}

/** The records of a walk, as far as it came. */
export class Walked<T> {
  coverage: Coverage | undefined;
  /** Up to when the last part is complete. */
  end: bigint | undefined;
  /** Where the parts between errors begin to be complete. */
  starts: bigint[] = [];
  items: T[] = [];
  /** How many there were when the walk was continued after an error. */
  continuedAt: number[] = [];
  /** The block of the first page; for one without a block, the earliest block that a node was at. */
  block: bigint | undefined;
  /** Whether a page had no block: which records its node has is unknown. */
  isNameless = false;
}

/** Walks until nothing is left, from where the error before says. */
export async function walk<T>(
  { isBackward, newestFirst, size }: Reader,
  reading: Reading,
  open: (pagination: object) => Pages<T>,
  walked: Walked<T>,
  onError: (error: VegaError) => object | "start" | "nothing-left" | undefined = () => undefined,
  onFirst: () => void = () => {},
): Promise<boolean> {
  const way = isBackward ? "last" : "first";
  let pagination: object = { [way]: size, newestFirst };
  for (;;) {
    const pages = open(pagination);
    const error = await reading.take(pages, ({ nodes, block }) => {
      if (walked.block === undefined) onFirst();
      walked.block ??= block?.timestamp ?? reading.world.lowestHead;
      if (block === undefined) walked.isNameless = true;
      walked.items.push(...(isBackward ? [...nodes].reverse() : nodes));
      return undefined;
    });
    if (error === "hang") return false;
    if (error === undefined) {
      const coverage = await pages.coverage?.();
      if (walked.continuedAt.length === 0) walked.coverage = coverage;
      if (coverage) walked.starts.push(coverage.start);
      walked.end = coverage?.end;
      return true;
    }
    const next = onError(error) ?? (error as { resume?: object }).resume;
    if (next === "nothing-left") return true;
    if (next === undefined) {
      reading.fail("no-resume", error.message);
      return false;
    }
    if (!reading.continues()) return false;
    const hasRead = walked.items.length > (walked.continuedAt.at(-1) ?? 0);
    if (error.coverage && hasRead) walked.starts.push(error.coverage.start);
    walked.continuedAt.push(walked.items.length);
    const given = next === "start" ? { [way]: size, newestFirst } : next;
    pagination = { ...given, [way]: reading.sizeOf({ size }) };
  }
}

export async function readWalk(
  reader: Reader,
  reading: Reading,
  list: (pagination: object, range: Range) => Pages<BalanceChange>,
  order = inListOrder,
): Promise<void> {
  const { world } = reading;
  const isDescending = reader.newestFirst !== reader.isBackward;
  const wanted = isWanted(reader);
  const range: Range = { start: reader.start, end: reader.end };
  const walked = new Walked<BalanceChange>();
  let oldest: bigint | undefined;
  let isGone = false;
  const findOldest = () => {
    oldest = world.oldestWanted((change) => wanted(change) && between(reader)(change));
  };
  const onError = (error: VegaError) => {
    if (!PaginationError.is(error)) return undefined;
    if (error.reason !== "pruned") {
      const place = walked.items.at(-1);
      isGone = place !== undefined && !world.keeps(timeOf(place)) && world.isCalm;
      if (!isGone || !place) return undefined;
      reading.fail("wrong-reason", `${error.reason}, but every node has dropped the place ${show(timeOf(place))}`);
      return "nothing-left";
    }
    reading.checkPruned(range.start ?? 0n, error.availableFrom);
    // The advice of the error: a narrower range.
    range.start = error.availableFrom ?? range.start;
    Object.assign(walked, new Walked<BalanceChange>(), { block: undefined });
    const isEmpty = range.start !== undefined && range.end !== undefined && range.start >= range.end;
    return isEmpty ? "nothing-left" : "start";
  };
  const isDone = await walk(reader, reading, (pages) => list(pages, range), walked, onError, findOldest);
  if (!isDone || isGone) return;
  if (isDescending || walked.items.length === 0) findOldest();
  const { coverage } = walked;
  // A walk ends at the block of its node, which can be before the end of the range.
  const isInRange = (change: BalanceChange) => wanted(change) && between({ end: range.end })(change);
  if (coverage !== undefined) reading.checkCoverage({ start: range.start }, coverage, isInRange);
  const end = (isDescending ? coverage?.end : walked.end) ?? walked.block ?? world.lowestHead;
  // Each part is complete from its own start, or in descending order, the last one from there.
  const begin = walked.starts.at(isDescending ? -1 : 0) ?? oldestOf(walked.items);
  const isOnePart = (reader.filter.partyIds?.length ?? 0) < 100;
  if (range.start === undefined && isOnePart) reading.checkStart("the walk", begin, oldest, end);
  const rows = world.changes.filter(wanted).filter(between(range)).sort(order);
  if (isDescending) rows.reverse();
  reading.compare("the walk", walked.items, rows.filter(between({ start: begin ?? end, end })), rows);
}
