import type { PageInfo, Pagination } from "../../generated/types.js";
import { refuse } from "../arguments/refuse.js";
import { untilAborted } from "../async/abort.js";
import { PaginationError } from "../errors/index.js";
import { nanosecondsOf } from "../evidence/cursors.js";
import { edgesAfter } from "../evidence/judge.js";
import {
  type Backward,
  backward,
  type Direction,
  type Edge,
  edgesOf,
  type Forward,
  forward,
  inWalkOrder,
  opposite,
  timeOf,
  withRoom,
} from "../evidence/page.js";
import { behindError, prunedError } from "../evidence/reading-errors.js";
import type { Block, NodeExtra } from "../http/call.js";
import { type Expectation, NotShown } from "../http/expectation.js";
import { maximum } from "../values/integers.js";
import type { Page } from "./page.js";
import { type FetchedPage, goesDown, pageAfter, requestOf, type WalkPlan } from "./plan.js";
import { continueAfter, emptyPosition, expectationAt, gapAt, type Position, paginationAt } from "./position.js";
import { type Continuation, fromNeighbor } from "./repair.js";
import { type TakenPage, takeFresh, takePage } from "./take-page.js";

/**
 * Reads the page after a position, of which `left` records are needed.
 *
 * @param isAlone - Whether the caller wants this page and not the list: what the node does not keep is left out.
 */
export async function readPage<T>(
  walk: WalkPlan<T>,
  start: Position<T>,
  signal: AbortSignal,
  left = Number.POSITIVE_INFINITY,
  isAlone = false,
): Promise<ListPage<T>> {
  const size = walk.isWanted ? walk.size : Math.min(walk.size, left);
  for (let position = start; ; ) {
    try {
      if (position.from?.only) position = await afterNeighbor(walk, position, signal);
      const { overlap = 0, continuesFrom, after } = position.from ?? {};
      const decides = !isAlone && decidesStart(walk, position);
      const historyFrom = decides ? (walk.range?.start ?? 0n) : walk.range && after;
      const expectation = { ...expectationAt(walk, position), needsBlock: !isAlone, historyFrom };
      const content = await fetchPage(walk, position, withRoom(size, overlap), expectation, signal, decides);
      const received = edgesOf(content, position.direction);
      const edges = continuesFrom ? edgesAfter(received, continuesFrom) : received;
      if (edges) {
        const isContinued = edges !== received;
        // Of a page that was requested as it is, all records are shown.
        const most = isContinued || overlap > 0 ? size : undefined;
        const page = takePage(walk, position, { ...content, edges }, most, isContinued);
        const { extra, availableFrom } = content;
        return new ListPage(walk, page, extra, decides ? content.completeFrom : 0n, availableFrom !== undefined);
      }
    } catch (error) {
      if (!NotShown.is(error)) throw error;
      if (error.lack !== "place") {
        const { minBlock = 0n, minBlockAtEnd = 0n } = expectationAt(walk, position);
        throw behindError(
          walk.operation,
          maximum(minBlock, minBlockAtEnd),
          error.shown?.block,
          paginationAt(walk, position),
        );
      }
    }
    position = { ...position, from: await fallbackOf(walk, position, signal) };
  }
}

/** Whether a page decides how far back the walk is complete: the first one in ascending order, any one in descending order. */
const decidesStart = (walk: WalkPlan, { direction, from }: Position): boolean =>
  walk.range !== undefined && (goesDown(walk, direction) || from === undefined);

async function fetchPage<T>(
  walk: WalkPlan<T>,
  position: Position<T>,
  size: number,
  expectation: Expectation,
  signal: AbortSignal,
  decides: boolean,
): Promise<FetchedPage<T>> {
  const { operation, range } = walk;
  const pagination = pageAfter(walk, position.direction, position.from?.cursor, size);
  const request = requestOf(walk, pagination);
  const content = await walk.fetchPage(request, expectation, signal, decides);
  if (!Array.isArray(content?.edges)) {
    return refuse({ operation, argument: "fetchPage" }, "a function that returns `{ edges, pageInfo }`", content);
  }
  if (content.availableFrom === undefined || walk.endsAtHistory) return content;
  throw prunedAt(walk, position, range?.start ?? 0n, content.availableFrom);
}

/** Continues from the record before a cursor that the caller brings: the page begins with the record of the cursor. */
async function afterNeighbor<T>(walk: WalkPlan, position: Position<T>, signal: AbortSignal): Promise<Position<T>> {
  const { direction } = position;
  const from = position.from as Continuation;
  const pagination = pageAfter(walk, opposite(direction), from.cursor, 2);
  // A node that has dropped the records at the cursor shows none, or another one.
  const expectation = { ...expectationAt(walk, position), historyFrom: from.after ?? 0n };
  const before = await walk.fetchPage(requestOf(walk, pagination), expectation, signal, false);
  return { ...position, from: fromNeighbor(edgesOf(before, direction), from) };
}

/** How else to continue if no page shows the place. */
async function fallbackOf(walk: WalkPlan, position: Position, signal: AbortSignal): Promise<Continuation> {
  const { cursor, resume = cursor, fallbacks = [], after } = position.from ?? {};
  const [next, ...others] = fallbacks;
  if (next) return { resume, ...next, fallbacks: others };
  const place = timeOf(position.known.at(-1)) ?? after ?? nanosecondsOf(cursor ?? "");
  // Records of whole days are dropped at once, also while they are read.
  const { availableFrom } = (place !== undefined && (await walk.readHistory?.(place, signal))) || {};
  if (place === undefined || availableFrom === undefined) throw gapAt(walk, position, place);
  throw prunedAt(walk, position, place, availableFrom);
}

export class ListPage<T> implements Page<T> {
  readonly nodes: T[];
  readonly edges: Edge<T>[];
  readonly pageInfo: PageInfo | null;
  declare readonly response: Response;
  declare readonly block: Block | undefined;
  declare readonly stale: boolean;
  readonly #walk: WalkPlan<T>;
  readonly #taken: TakenPage<T>;
  readonly #completeFrom: bigint;
  readonly #isOldest: boolean;

  constructor(
    walk: WalkPlan<T>,
    taken: TakenPage<T>,
    extra: NodeExtra | undefined,
    completeFrom = 0n,
    isOldest = false,
  ) {
    this.edges = inWalkOrder(taken.edges, taken.end.direction) as Edge<T>[];
    this.nodes = this.edges.map(({ node }) => node);
    this.pageInfo = taken.pageInfo;
    this.#walk = walk;
    this.#taken = taken;
    this.#completeFrom = completeFrom;
    this.#isOldest = isOldest;
    Object.assign(this, extra);
  }

  /** The time from which on the walk is complete, in Unix nanoseconds; 0 if older pages decide it. */
  get completeFrom(): bigint {
    return this.#completeFrom;
  }

  /** Whether nodes keep no record before those of this page. */
  get isOldest(): boolean {
    return this.#isOldest;
  }

  /** The position after this page in a direction; `undefined` at the end. */
  after(direction: Direction): Position<T> | undefined {
    const { read, end } = this.#taken;
    if (direction === end.direction) return continueAfter(this.#walk, end, read, this.pageInfo);
    const turned = [...read].reverse();
    const start = { ...emptyPosition(direction), block: end.block, node: end.node };
    takeFresh(this.#walk, start, turned);
    return continueAfter(this.#walk, { ...start, pages: 1 }, turned, this.pageInfo);
  }

  get next(): Forward | undefined {
    return this.#paginationAfter(forward) as Forward | undefined;
  }

  get previous(): Backward | undefined {
    return this.#paginationAfter(backward) as Backward | undefined;
  }

  #paginationAfter(direction: Direction): Pagination | undefined {
    const position = this.after(direction);
    return position && paginationAt(this.#walk, position);
  }

  nextPage(): Promise<this | undefined> {
    return this.#pageAfter(forward);
  }

  previousPage(): Promise<this | undefined> {
    return this.#pageAfter(backward);
  }

  async #pageAfter(direction: Direction): Promise<this | undefined> {
    const walk = this.#walk;
    const position = this.after(direction);
    if (position === undefined) return undefined;
    const read = (signal: AbortSignal) => readPage(walk, position, signal);
    return (await untilAborted(walk.signal, new AbortController(), read)) as this;
  }

  toJSON(): object {
    const { nodes, pageInfo, block, stale } = this;
    // Of what the client adds to a page, the response is not data.
    const next = unlessUnreachable(() => this.next);
    const previous = unlessUnreachable(() => this.previous);
    return { nodes, pageInfo, next, previous, block, stale };
  }
}

/** Reads the `pagination` of a neighboring page. `pageInfo` still shows a page that no cursor leads to. */
function unlessUnreachable<P extends Pagination>(read: () => P | undefined): P | undefined {
  try {
    return read();
  } catch (error) {
    if (PaginationError.is(error)) return undefined;
    throw error;
  }
}

const prunedAt = (walk: WalkPlan, position: Position, start: bigint, availableFrom: bigint): PaginationError =>
  prunedError(walk.operation, start, availableFrom, paginationAt(walk, position));
