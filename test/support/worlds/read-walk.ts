import { type BalanceChange, type Coverage, PaginationError, type VegaError } from "../../../src/index.js";
import { checkCoverage } from "./read-scan.js";
import type { PagedReader, Range, WalkReader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, earlier, earlierThan, inListOrder, isLater, isWanted, show, timeOf } from "./records.js";

/** What a walk yields: a page of the client, or one of a loop over responses of `serve`. */
export interface AnyPage<T> {
  readonly nodes: readonly T[];
  readonly block: { readonly timestamp: bigint } | undefined;
}

/** The pages of a walk. */
export interface Pages<T> extends AsyncIterable<AnyPage<T>> {
  /** What it has read, if it says so, once it has ended. */
  coverage?(): Promise<Coverage> | undefined;
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
  /** The block of the first page. */
  block: bigint | undefined;
  isEmpty = true;
  /** Whether a page had no block: which records its node has is unknown. */
  isNameless = false;

  add(page: AnyPage<T>, isBackward: boolean, lowestHead: bigint): void {
    if (this.isEmpty) this.block = page.block?.timestamp ?? lowestHead;
    this.isEmpty = false;
    if (page.block === undefined) this.isNameless = true;
    this.items.push(...(isBackward ? [...page.nodes].reverse() : page.nodes));
  }
}

/** The size and the direction of a page. After several errors the page is as large as possible. */
const paginationOf = ({ isBackward, size, newestFirst }: PagedReader) => ({
  [isBackward ? "last" : "first"]: size,
  newestFirst,
});

/** Walks until nothing is left, from where the error before says. */
export async function walk<T>(
  spec: PagedReader,
  reading: Reading,
  open: (pagination: object) => Pages<T>,
  walked: Walked<T>,
  onError: (error: VegaError) => object | "nothing-left" | undefined = () => undefined,
  onFirst: () => void = () => {},
): Promise<boolean> {
  let pagination: object = paginationOf(spec);
  for (;;) {
    const pages = open(pagination);
    const error = await reading.take(pages, (page) => {
      if (walked.isEmpty) onFirst();
      walked.add(page, spec.isBackward, reading.world.lowestHead);
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
    pagination = { ...next, ...(reading.isLate && { [spec.isBackward ? "last" : "first"]: 5000 }) };
  }
}

export async function readWalk(
  spec: WalkReader,
  reading: Reading,
  list: (pagination: object, range: Range) => Pages<BalanceChange>,
  order = inListOrder,
): Promise<void> {
  const { world } = reading;
  const isDescending = spec.newestFirst !== spec.isBackward;
  const wanted = isWanted(spec);
  let start = spec.start;
  const walked = new Walked<BalanceChange>();
  let oldest: bigint | undefined;
  let isGone = false;
  const oldestIn = () => world.oldestWanted((change) => wanted(change) && between(spec)(change));
  const open = (pagination: object) => list(pagination, { start, end: spec.end });
  const onError = (error: VegaError) => {
    if (!PaginationError.is(error)) return undefined;
    if (error.reason !== "pruned") {
      const place = walked.items.at(-1);
      isGone = place !== undefined && !world.keeps(timeOf(place)) && reading.isLate;
      if (!isGone || !place) return undefined;
      reading.fail("wrong-reason", `${error.reason}, but every node has dropped the place ${show(timeOf(place))}`);
      return "nothing-left";
    }
    reading.checkPruned(start ?? 0n, error.availableFrom);
    // The advice of the error: a narrower range.
    start = error.availableFrom ?? start;
    Object.assign(walked, new Walked<BalanceChange>());
    if (start !== undefined && spec.end !== undefined && start >= spec.end) return "nothing-left";
    return paginationOf(spec);
  };
  const isDone = await walk(spec, reading, open, walked, onError, () => {
    oldest = oldestIn();
  });
  if (!isDone || isGone) return;
  if (isDescending || walked.items.length === 0) oldest = oldestIn();
  const rows = world.changes
    .filter(wanted)
    .filter(between({ start, end: spec.end }))
    .sort(order);
  if (isDescending) rows.reverse();
  const { coverage } = walked;
  // A walk ends at the block of its node, which can be before the end of the range.
  const isInRange = (change: BalanceChange) => wanted(change) && between({ end: spec.end })(change);
  if (coverage !== undefined) checkCoverage(reading, { start }, coverage, isInRange);
  const last = isDescending ? coverage?.end : walked.end;
  const end = last ?? walked.block ?? world.lowestHead;
  const lowest = walked.items.map(timeOf).reduce<bigint | undefined>(earlier, undefined);
  // Each part is complete from its own start, or in descending order, the last one from there.
  const parts = isDescending ? walked.starts.slice(-1) : walked.starts.slice(0, 1);
  const begin = parts[0] ?? lowest;
  const isOnePart = (spec.filter.partyIds?.length ?? 0) < 100;
  if (start === undefined && isOnePart) reading.checkStart("the walk", begin, earlierThan(oldest, end));
  const must = rows.filter(isLater(begin ?? end)).filter((change) => timeOf(change) < end);
  reading.compare("the walk", walked.items, must, rows);
}
