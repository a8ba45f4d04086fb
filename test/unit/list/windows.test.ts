import { describe, expect, test } from "vitest";
import type { BalanceChange } from "../../../src/index.js";
import type { History } from "../../../src/list/history.js";
import { never } from "../../../src/list/judge.js";
import type { PageRequest } from "../../../src/list/page.js";
import { throughWindows } from "../../../src/list/windows.js";
import { pageAt, script } from "../../support/scripted-pages.js";

describe("through windows, a page", () => {
  const window = (start: bigint, end: bigint, times: bigint[] = [], hasMore = false) =>
    pageAt(times, { more: true, window: { start, end, hasMore } });
  const [late, early, empty] = [window(100n, 200n), window(0n, 100n, [50n]), window(0n, 100n)];
  const [next, none] = [pageAt([150n]), pageAt([])];
  const down = { pagination: { first: 9 }, end: 200n };
  const up = { pagination: { first: 9, newestFirst: false }, start: 0n };
  const [needed, known] = [{ needsBlock: true }, { continuesFrom: { records: [{ timestamp: "150" }] } }];
  const shown = { ...needed, continuesFrom: { records: [{ timestamp: "50" }] } };
  const first = { isBeyond: false, gapFrom: 0n };
  const continued = { ...first, pageInfo: { hasNextPage: true } };
  const second = { ...first, isBeyond: true };
  const [one, two] = [[150n], [150n, 140n]].map((times) => window(100n, 200n, times));
  const started = pageAt([], { block: 0n, more: true, window: { start: 100n, end: 200n, hasMore: false } });
  const [whole, dropped, proved] = [{ completeFrom: 100n }, { availableFrom: 250n }, { completeFrom: 0n }];

  test.each<[string, PageRequest, object, Parameters<typeof script>[0], object, object, starts: bigint[]]>([
    ["after a gap is complete from the end", down, needed, [late, early], {}, { gapFrom: 200n }, [100n]],
    ["ends with its window", down, needed, [late, none], whole, { ...second, completeFrom: 100n }, [100n]],
    ["without records proves nothing", down, {}, [none], {}, { completeFrom: never }, []],
    ["is proved by another node", down, needed, [late], next, { ...continued, completeFrom: 0n }, [100n]],
    ["is proved by another node, oldest first", up, needed, [empty], { ...next, ...proved }, continued, [0n]],
    ["is the last one", down, needed, [late], dropped, { gapFrom: 200n, pageInfo: { hasNextPage: false } }, [100n]],
    ["with more in its window is followed there", down, needed, [window(100n, 200n, [], true)], {}, first, []],
    ["with records is not proved", down, needed, [early], {}, first, []],
    ["of a node without a block ends the list", down, {}, [started], {}, { pageInfo: { hasNextPage: false } }, []],
    ["has new records", down, known, [one, next], {}, second, []],
    ["has other records than the last one", down, known, [two], {}, first, []],
    ["joins proved windows", up, needed, [empty, next], proved, { ...second, completeFrom: 0n }, [0n, 100n]],
    ["after a window with a gap joins nothing", up, needed, [empty, next], whole, { gapFrom: 100n }, [0n, 100n]],
    ["after known records is proved from its window on", up, shown, [early, next], proved, second, [100n]],
    ["without a start is not proved", { ...up, start: undefined }, needed, [empty, next], {}, second, []],
  ])("%s", async (_, request, expectation, pages, proof, expected, starts) => {
    const { read, requests, expectations } = script(pages);
    const proved: bigint[] = [];
    const prove: History<BalanceChange>["prove"] = async (page, _request, _expectation, start) => {
      proved.push(start);
      return { ...page, ...proof };
    };
    const page = await throughWindows(read, { prove })(request, expectation, new AbortController().signal);
    expect(page).toMatchObject(expected);
    const next = { ...request, ...(request === down ? { end: 100n } : { start: 100n }) };
    expect(requests).toEqual([request, next].slice(0, pages.length));
    expect(expectations[1]?.continuesFrom).toBeUndefined();
    expect(proved).toEqual(starts);
  });

  test.each([
    ["the next window", undefined, undefined, 100n],
    ["the oldest record that nodes have", 550n, undefined, 550n],
    ["the next window, if that record is not in the range", 550n, 550n, 100n],
  ])("after a window that nodes do not keep is of %s", async (_, availableFrom, end, expected) => {
    const { read, requests } = script([empty, pageAt([560n], { newestFirst: false })]);
    const prove: History<BalanceChange>["prove"] = async (page) => ({ ...page, ...(page.window && { availableFrom }) });
    const page = await throughWindows(read, { prove })({ ...up, end }, needed, new AbortController().signal);
    expect(requests.map(({ start }) => start)).toEqual([0n, expected]);
    expect(page).toMatchObject({ gapFrom: end ?? 560n });
  });

  test.each([
    ["newest first", down, [late, none], [100n, 200n], 100n],
    ["oldest first", up, [empty, next], [0n, 100n], 0n],
  ])("%s, is proved with the bounds of its window", async (_, request, pages, [start, end], from) => {
    const { read } = script(pages);
    const bounds: PageRequest[] = [];
    const prove: History<BalanceChange>["prove"] = async (page, request) => {
      bounds.push(request);
      return { ...page, completeFrom: from };
    };
    await throughWindows(read, { prove })(request, needed, new AbortController().signal);
    expect(bounds[0]).toEqual({ ...request, start, end });
  });

  test.each<[string, start: bigint | undefined, proofs: [bigint, bigint], completeFrom: bigint]>([
    ["the start, if all are proved", 10n, [10n, 100n], 10n],
    ["its own start, after a gap", 10n, [50n, 100n], 100n],
    ["its first record, if it is not proved", 10n, [10n, 150n], 150n],
    ["its first record, if the range has no start", undefined, [10n, 100n], 100n],
  ])("after a passed window is complete from %s", async (_, start, proofs, completeFrom) => {
    const { read } = script([empty, pageAt([start === undefined ? 100n : 150n], { newestFirst: false })]);
    const prove: History<BalanceChange>["prove"] = async (page, _request, _expectation, time) => ({
      ...page,
      completeFrom: proofs[time < 100n ? 0 : 1] ?? never,
    });
    const page = await throughWindows(read, { prove })({ ...up, start }, needed, new AbortController().signal);
    expect(page.completeFrom).toBe(completeFrom);
  });

  test("after a passed window that has no records yet, but more of them, proves nothing", async () => {
    const more = { start: 100n, end: 200n, hasMore: true };
    const { read } = script([empty, pageAt([], { more: true, newestFirst: false, window: more })]);
    const prove: History<BalanceChange>["prove"] = async (page) => ({ ...page, completeFrom: 0n });
    const page = await throughWindows(read, { prove })(up, needed, new AbortController().signal);
    expect(page.completeFrom).toBe(never);
  });

  test("is not passed for an empty response without block headers, if others have some", async () => {
    const filled = window(100n, 200n, [150n]);
    const { read, requests, expectations } = script([late, filled]);
    const page = await throughWindows(read, { prove: async (page) => page })(down, {}, new AbortController().signal);
    expect(page.edges).toEqual(filled.edges);
    expect(requests).toEqual([down, down]);
    expect(expectations).toEqual([{}, { needsBlock: true }]);
  });

  test("of another node that ends the list claims no more than its records show", async () => {
    const { read } = script([late, none]);
    const prove: History<BalanceChange>["prove"] = async (page, _request, _expectation, start) =>
      start > 0n ? { ...page, completeFrom: start } : pageAt([50n]);
    const page = await throughWindows(read, { prove })({ ...down, start: 0n }, needed, new AbortController().signal);
    expect(page).toMatchObject({ completeFrom: 50n, pageInfo: { hasNextPage: false } });
  });
});
