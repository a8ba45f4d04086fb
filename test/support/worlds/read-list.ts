import {
  type BalanceChange,
  type Coverage,
  type Page,
  PaginationError,
  type VegaClient,
  VegaError,
} from "../../../src/index.js";
import { between, isSomeTime, type Range } from "./records.js";

/** How a list is read: plain data. */
export interface ListQuery extends Range {
  list: "balances" | "votes" | "signatures" | "profiles";
  /**
   * A loop, a scan, or single pages: each asked for twice, the whole chain again, a loop that peeks at the next page, `next`, or the cursor
   * that the node has sent.
   */
  kind: "loop" | "scan" | "again" | "later" | "peek" | "next" | "cursor";
  newestFirst: boolean;
  /** Reads backward, by `last`. */
  isBackward: boolean;
  size: number;
  /** The arguments without the range and the pagination. */
  filter: object;
  concurrency: number;
  missingHistory: "error" | "ignore";
  /** After how many records a reading ends, by `maxItems` or `break`. Balance changes continue by their coverage. */
  limit?: { items: number; isBreak: boolean } | undefined;
}

/** What was read until an error or the end. */
export interface Part {
  records: object[];
  coverage: Coverage | undefined;
  error: VegaError | undefined;
  /** Where it had to begin: the time that the error before it says, or that of the last record. */
  from: bigint | undefined;
}

/** Pages that follow on each other. */
export interface Chain {
  pages: Page<object>[];
  error: VegaError | undefined;
  /** Whether it has reached the end of the list. */
  isWhole: boolean;
  /** Whether a page can repeat records of the one before. */
  repeats: boolean;
}

/** What was yielded. A range that turned out to begin too early is read anew, from the time that the error says. */
export interface ListReading extends Range {
  parts: Part[];
  chains: Chain[];
  /** Whether an error ended it for good. */
  isUnfinished: boolean;
}

/** Who reads, and when an error ends it. */
export interface Target {
  readonly client: VegaClient;
  /** Takes everything that comes. Returns the error that ends it; `"hang"` if nothing does. */
  take<T>(items: AsyncIterable<T>, onItem: (item: T) => unknown): Promise<VegaError | "hang" | undefined>;
  sizeOf(query: { size: number }): number;
  /** Whether a reading of a range that begins at a time goes on after an error. */
  continues(error: VegaError, start: bigint | undefined): boolean;
}

interface Arguments {
  dateRange?: { startTimestamp?: unknown; endTimestamp?: unknown };
  pagination?: object;
}

/** What a loop goes through, and what it has covered in the end. */
export type Items = AsyncIterable<object> & { readonly coverage: PromiseLike<Coverage | undefined> };

export const isDescending = ({ newestFirst, isBackward }: Pick<ListQuery, "newestFirst" | "isBackward">): boolean =>
  newestFirst !== isBackward;

/** Reads until nothing is left, after each error from where it says. */
export async function readList(
  target: Target,
  query: ListQuery,
  open: (given: Arguments, most?: number) => Items = (given, most) => itemsOf(target, query, given, most),
): Promise<ListReading[]> {
  const { start, end, kind, isBackward, newestFirst } = query;
  let reading: ListReading = { start, end, parts: [], chains: [], isUnfinished: false };
  const readings = [reading];
  const isScan = kind === "scan";
  const original: Arguments = {
    ...(query.list === "balances" && { dateRange: { startTimestamp: start, endTimestamp: end } }),
    ...(!isScan && { pagination: { [isBackward ? "last" : "first"]: query.size, newestFirst } }),
  };
  if (kind !== "loop" && kind !== "scan") {
    const listAt = (pagination: object) => listOf(target.client, query, { ...original, pagination });
    const once = async function* () {
      yield await readChains(listAt(original.pagination ?? {}), query, listAt);
    };
    await target.take(once(), (chains) => reading.chains.push(...chains));
    return readings;
  }
  let given = original;
  let from: bigint | undefined;
  let range: Range = { start, end };
  let most = query.limit?.items;
  for (;;) {
    const part: Part = { records: [], coverage: undefined, error: undefined, from };
    reading.parts.push(part);
    const items = open(given, query.limit?.isBreak ? undefined : most);
    const error = await target.take(items, (record) => part.records.push(record) === most);
    if (error === undefined) part.coverage = await items.coverage;
    if (error === undefined && part.records.length === most) {
      const next = rangeAfter(query, part.coverage, range);
      if (next === undefined) return readings;
      const bound = isDescending(query) ? next.end : next.start;
      // A block can have more records than that.
      if (bound === from) most *= 2;
      // Records that are not covered come again.
      part.records = (part.records as BalanceChange[]).filter(between(part.coverage ?? {}));
      [range, from] = [next, bound];
      given = { ...original, dateRange: { startTimestamp: next.start, endTimestamp: next.end } };
      continue;
    }
    if (error === undefined || error === "hang") return readings;
    // The rest of a block would come again after another limit.
    most = undefined;
    Object.assign(part, { error, coverage: error.coverage });
    const { resume } = error;
    if (resume === undefined || !target.continues(error, reading.start)) {
      reading.isUnfinished = true;
      return readings;
    }
    const rest: Arguments = resume as object;
    const pruned = PaginationError.is(error) && error.reason === "pruned" ? error : undefined;
    if (pruned && rest.dateRange === undefined) {
      // The advice of the error: a narrower range.
      const available = pruned.availableFrom;
      if (available === undefined || (end !== undefined && available >= end)) return readings;
      reading = { ...reading, start: available, parts: [], chains: [] };
      readings.push(reading);
      from = undefined;
      given = { ...original, dateRange: { startTimestamp: available, endTimestamp: end } };
      continue;
    }
    given = { ...given, ...rest };
    const { startTimestamp, endTimestamp } = given.dateRange ?? {};
    const [first, last] = [startTimestamp, endTimestamp].map((time) => (isSomeTime(time) ? BigInt(time) : undefined));
    if (first !== undefined && last !== undefined && first >= last) return readings;
    // A loop continues after a record, of whose block more can follow.
    const place = (part.records.at(-1) as { timestamp?: string } | undefined)?.timestamp;
    // The error has already told of the records that nodes have dropped since the part before.
    if (pruned && part.records.length === 0 && reading.parts.length > 1) continue;
    if (rest.dateRange) from = isDescending(query) ? last : first;
    else if (place !== undefined) from = BigInt(place) + (isDescending(query) ? 0n : 1n);
  }
}

/** The rest of a reading that has ended at its limit; `undefined` if nothing is left, or nothing shows where. */
function rangeAfter(query: ListQuery, coverage: Coverage | undefined, { start, end }: Range): Range | undefined {
  const bound = isDescending(query) ? coverage?.start : coverage?.end;
  if (query.list !== "balances" || bound === undefined) return undefined;
  const rest = isDescending(query) ? { start, end: bound } : { start: bound, end };
  return rest.end === undefined || (rest.start ?? 0n) < rest.end ? rest : undefined;
}

function itemsOf(target: Target, query: ListQuery, given: Arguments, maxItems?: number): Items {
  const { kind, filter, newestFirst, isBackward, concurrency, missingHistory } = query;
  const pageSize = target.sizeOf(query);
  if (kind !== "scan") {
    const pagination = { ...given.pagination, [isBackward ? "last" : "first"]: pageSize };
    return listOf(target.client, query, { ...given, pagination }, { maxItems });
  }
  const order = newestFirst ? "newest-first" : "oldest-first";
  const options = { order, pageSize, concurrency, missingHistory, maxItems } as const;
  return target.client.scanBalanceChanges({ ...filter, ...(given as object) }, options);
}

type Listing = Items & PromiseLike<Page<object>> & { pages(): AsyncIterable<Page<object>> };

function listOf(client: VegaClient, { list, filter }: ListQuery, given: Arguments, options: object = {}): Listing {
  const methods = {
    balances: client.listBalanceChanges,
    votes: client.listVotes,
    signatures: client.listNodeSignatures,
    profiles: client.listPartiesProfiles,
  };
  // Each list has arguments of its own.
  return (methods[list] as (...given: object[]) => unknown)({ ...filter, ...given }, options) as Listing;
}

/** Reads single pages, some of them twice. Returns the chains of pages, each of which is complete on its own. */
async function readChains(
  listing: Listing,
  { kind, isBackward, newestFirst, size }: ListQuery,
  listAt: (pagination: object) => Listing,
): Promise<Chain[]> {
  const repeats = kind === "next" || kind === "cursor";
  const chain = (): Chain => ({ pages: [], error: undefined, isWhole: false, repeats });
  /** Adds the next page of a chain; returns whether there is another. */
  const extend = async (to: Chain, read: () => Promise<Page<object> | undefined>): Promise<boolean> => {
    try {
      const page = await read();
      if (page) to.pages.push(page);
      // A page without records can have a next one later.
      to.isWhole = page === undefined;
      return page !== undefined;
    } catch (error) {
      if (!VegaError.is(error)) throw error;
      to.error = error;
      return false;
    }
  };
  let lastCursor: string | undefined;
  const following = async (page: Page<object>): Promise<Page<object> | undefined> => {
    if (kind === "cursor") {
      const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo ?? {};
      if (!(isBackward ? hasPreviousPage : hasNextPage)) return undefined;
      const cursor = isBackward ? startCursor : endCursor;
      // A block that does not fit a page, whose votes have one cursor.
      if (cursor === lastCursor) throw new PaginationError("The cursor leads back.", { reason: "repeated-cursor" });
      lastCursor = cursor;
      return listAt({ newestFirst, ...(isBackward ? { last: size, before: cursor } : { first: size, after: cursor }) });
    }
    if (kind !== "next") return isBackward ? page.previousPage() : page.nextPage();
    const next = isBackward ? page.previous : page.next;
    return next && (await listAt(next));
  };
  const step = (to: Chain) => {
    const last = to.pages.at(-1) as Page<object>;
    return extend(to, () => following(last));
  };
  const [one, two] = [chain(), chain()];
  if (kind === "peek") {
    try {
      for await (const page of listing.pages()) {
        one.pages.push(page);
        await extend(two, () => following(page));
      }
      one.isWhole = true;
    } catch (error) {
      if (!VegaError.is(error)) throw error;
      one.error = error;
    }
    return [one];
  }
  if (!(await extend(one, async () => listing))) return [one];
  two.pages.push(...one.pages);
  if (kind === "again") {
    for (let isOpen = true; isOpen; ) {
      // The same page twice, as by a prefetch and a click: each copy goes on by itself.
      const both = [await step(one), await step(two)];
      isOpen = both.includes(true) && !one.error && !two.error;
    }
    return [one, two];
  }
  while (await step(one));
  if (kind === "later") while (await step(two));
  return kind === "later" ? [one, two] : [one];
}
