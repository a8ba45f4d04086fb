import { hasNoBlock } from "../http/call.js";
import { maximum, minimum } from "../values/integers.js";
import type { History } from "./history.js";
import { completeFrom, edgesAfter, never } from "./judge.js";
import { directionOf, edgesOf, isDescending, type NodePage, type PageRequest, type ReadPage } from "./page.js";

/**
 * Reads on in the next window if one has no new records. An empty page proves nothing, so each window that is passed has
 * to be proved from its start to its end; otherwise `gapFrom` is the time from which on the list is known.
 */
export const throughWindows =
  <T>(read: ReadPage<T>, { prove }: Pick<History<T>, "prove">): ReadPage<T> =>
  async (request, expectation, signal) => {
    const isDown = isDescending(request.pagination);
    const { continuesFrom, ...expected } = expectation;
    // Nothing is claimed of a page alone, nor of the time before the first record of an open range.
    const needsProof = expectation.needsBlock === true && (isDown || request.start !== undefined);
    const hasNew = (page: NodePage<T>, isBeyond: boolean) => {
      const edges = edgesOf(page, directionOf(request.pagination));
      return Boolean((continuesFrom && !isBeyond ? edgesAfter(edges, continuesFrom) : edges)?.length);
    };
    let gapFrom = 0n;
    let next: PageRequest = request;
    for (let isBeyond = false; ; isBeyond = true) {
      const current = isBeyond ? expected : expectation;
      let page = await read(next, current, signal);
      // A node that has no records yet may also send no block headers.
      if (page.window && page.edges.length === 0 && page.extra.block === undefined && !current.needsBlock)
        page = await read(next, { ...current, needsBlock: true }, signal);
      const { window } = page;
      let end = window?.end ?? next.end ?? never;
      // A node that has no block yet has no records in any window.
      if (hasNoBlock(page.extra.block)) return { ...page, isBeyond, gapFrom, pageInfo: withMore(page.pageInfo, false) };
      const isFound = hasNew(page, isBeyond);
      // A block can have more records than a page.
      if (window?.hasMore && !isFound) return { ...shownFrom(page), isBeyond, gapFrom };
      const start = startOf(next, window, isBeyond);
      if (needsProof && start !== undefined && !(isFound && (isDown || !isBeyond))) {
        const bounds = { ...next, start, end: window?.end ?? next.end };
        const whole = { ...page, completeFrom: completeFrom({ ...page, pageInfo: null, request: next }) };
        const { availableFrom, ...shown } = await prove(whole, bounds, current, start, signal);
        const proved = window ? { ...shown, window, pageInfo: withMore(shown.pageInfo, true) } : shown;
        if (isDown && window && hasNew(proved, isBeyond)) {
          // Another node has records: the next pages decide about earlier ones.
          return { ...proved, completeFrom: 0n, isBeyond, gapFrom };
        }
        // Nodes have nothing in the windows up to their oldest record.
        const isLater = availableFrom !== undefined && availableFrom < (request.end ?? never);
        if (isLater && !isDown) end = maximum(end, availableFrom);
        if (proved.completeFrom > start) gapFrom = maximum(gapFrom, minimum(proved.completeFrom, end));
        // Nodes have nothing from before this window.
        if (isDown && availableFrom !== undefined)
          return { ...shownFrom(proved), isBeyond, gapFrom, pageInfo: withMore(proved.pageInfo, false) };
        page = proved;
      }
      if (window === undefined || hasNew(page, isBeyond)) return { ...shownFrom(page), isBeyond, gapFrom };
      next = isDown ? { ...request, end: window.start } : { ...request, start: end };
    }

    /** The time from which on to prove a window; `undefined` if it is the only one, or continues from known records. */
    function startOf({ start }: PageRequest, window: NodePage<T>["window"], isBeyond: boolean): bigint | undefined {
      if (isDown) return window?.start ?? (isBeyond ? start : undefined);
      return isBeyond || (window && !continuesFrom) ? start : undefined;
    }

    /** The time from which on a page and the windows before it are complete. */
    function shownFrom(page: NodePage<T>): NodePage<T> {
      const { start = 0n, end = never } = next;
      if (next === request) return page;
      if (isDown) return { ...page, completeFrom: minimum(page.completeFrom, end) };
      const isJoined = needsProof && gapFrom === 0n && page.completeFrom <= start;
      return isJoined ? { ...page, completeFrom: request.start ?? 0n } : page;
    }

    function withMore(pageInfo: NodePage<T>["pageInfo"], hasMore: boolean) {
      return pageInfo && { ...pageInfo, [directionOf(request.pagination).more]: hasMore };
    }
  };
