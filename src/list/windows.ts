import { hasNoBlock } from "../http/call.js";
import { maximum, minimum } from "../values/integers.js";
import type { History } from "./history.js";
import { completeFrom, edgesAfter, never } from "./judge.js";
import { directionOf, edgesOf, isDescending, type NodePage, type PageRequest, type ReadPage } from "./page.js";

/**
 * Reads on in the next window if one has no new records. An empty page proves nothing, so a window that is passed has to be proved to
 * its start; otherwise `gapFrom` is the time from which on the list is known.
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
      const { window } = page;
      let after = window?.end;
      // A node that has no block yet has no records in any window.
      if (hasNoBlock(page.extra.block)) return { ...page, isBeyond, gapFrom, pageInfo: ended(page.pageInfo) };
      // A block can have more records than a page.
      if (window?.hasMore && !hasNew(page, isBeyond)) return { ...shownFrom(page), isBeyond, gapFrom };
      const start = isDown ? window?.start : isBeyond ? next.start : undefined;
      if (needsProof && start !== undefined && !(isDown && hasNew(page, isBeyond))) {
        const whole = { ...page, completeFrom: completeFrom({ ...page, pageInfo: null, request: next }) };
        const { availableFrom, ...proved } = await prove(whole, next, current, start, signal);
        if (isDown && hasNew(proved, isBeyond)) {
          // Another node has records: the next pages decide about earlier ones.
          return { ...proved, completeFrom: 0n, isBeyond, gapFrom };
        }
        // Nodes have nothing in the windows up to their oldest record.
        if (!isDown && after !== undefined && availableFrom !== undefined && availableFrom < (request.end ?? never))
          after = maximum(after, availableFrom);
        const end = after ?? next.end ?? never;
        if (proved.completeFrom > start) gapFrom = maximum(gapFrom, minimum(proved.completeFrom, end));
        // Nodes have nothing from before this window.
        if (isDown && availableFrom !== undefined)
          return { ...shownFrom(proved), isBeyond, gapFrom, pageInfo: ended(proved.pageInfo) };
        page = proved;
      }
      if (window === undefined || hasNew(page, isBeyond)) return { ...shownFrom(page), isBeyond, gapFrom };
      next = isDown ? { ...request, end: window.start } : { ...request, start: after };
    }

    /** Later windows cover the time after the end of this one, which can be empty. */
    function shownFrom(page: NodePage<T>): NodePage<T> {
      return isDown && next !== request
        ? { ...page, completeFrom: minimum(page.completeFrom, next.end ?? never) }
        : page;
    }

    function ended(pageInfo: NodePage<T>["pageInfo"]) {
      return pageInfo && { ...pageInfo, [directionOf(request.pagination).more]: false };
    }
  };
