import type { Expectation } from "../http/expectation.js";
import { minimum } from "../values/integers.js";
import type { History, Proof } from "./history.js";
import { edgesAfter } from "./judge.js";
import {
  directionOf,
  inWalkOrder,
  isDescending,
  type NodePage,
  never,
  notLater,
  oldestTime,
  type PageRequest,
  type ReadPage,
  withMore,
} from "./page.js";

/**
 * Reads windows until one has new records. An empty page proves nothing. Newest first, the windows that were passed are
 * then proved: if a proof fails, `gapFrom` is the time from which on the list is known. Oldest first, they are proved
 * with the start of the range.
 */
export const throughWindows =
  <T>(read: ReadPage<T>, { prove }: Pick<History<T>, "prove">, isPool: boolean): ReadPage<T> =>
  async (request, expectation, signal) => {
    const { continuesFrom: _, ...beyond } = expectation;
    const direction = directionOf(request.pagination);
    const isDown = isDescending(request.pagination);
    const passed: Proof<T>[] = [];
    for (let next = request; ; ) {
      const expected = passed.length > 0 ? beyond : expectation;
      const page = await readWindow(next, expected);
      const { window } = page;
      const foundIn = passed.length > 0 ? next : undefined;
      // A block can have more records than a page.
      if (window === undefined || window.hasMore || hasNew(page, expected)) {
        return isDown && foundIn ? afterPassed(page, foundIn) : { ...page, foundIn };
      }
      const { start, end } = window;
      passed.push({ page, request: { ...next, start, end }, expectation: expected, start });
      next = isDown ? { ...request, end: start } : { ...request, start: end };
    }

    /**
     * An empty response without block headers can come from a node that has no records yet. In a pool, another node may
     * have records of the window: newest first, the proof of the window asks the others.
     */
    async function readWindow(next: PageRequest, expected: Expectation): Promise<NodePage<T>> {
      const page = await read(next, expected, signal);
      if (!page.window || page.edges.length > 0) return page;
      const isUnknown = page.extra.block === undefined && !expected.needsBlock;
      const isOpen = isPool && !isDown && expected.historyFrom === undefined;
      const historyFrom = isOpen ? page.window.start : expected.historyFrom;
      return isUnknown || isOpen ? read(next, { ...expected, needsBlock: true, historyFrom }, signal) : page;
    }

    function hasNew(page: NodePage<T>, { continuesFrom }: Expectation): boolean {
      const edges = inWalkOrder(page.edges, direction);
      return Boolean((continuesFrom ? edgesAfter(edges, continuesFrom) : edges)?.length);
    }

    async function afterPassed(last: NodePage<T>, foundIn: PageRequest): Promise<NodePage<T>> {
      const from = minimum(last.completeFrom, foundIn.end ?? never);
      // The first window shows the newest records, and it can be of a node that is behind the others.
      const { block } = passed[0]?.page.extra ?? {};
      const found = { ...notLater(last, block), foundIn, completeFrom: from };
      // Nothing is claimed of a page alone. If it has records, those before them are not left out.
      if (!expectation.needsBlock && last.edges.length === 0) return found;
      for (const proof of passed) {
        const { page, request, expectation, start } = proof;
        const shown = { ...page, extra: found.extra, completeFrom: oldestTime(page.edges, request.pagination) };
        const { availableFrom: _, ...proved } = await prove({ ...proof, page: shown }, signal);
        // Another node has records: the next pages decide about earlier ones.
        if (hasNew(proved, expectation)) {
          const pageInfo = withMore(proved.pageInfo, direction, true);
          return { ...notLater(proved, block), foundIn: request, completeFrom: 0n, pageInfo };
        }
        if (proved.completeFrom > start)
          return { ...found, gapFrom: minimum(proved.completeFrom, request.end ?? never) };
      }
      return found;
    }
  };
