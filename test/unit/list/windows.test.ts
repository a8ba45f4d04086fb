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
  const first = { isBeyond: false, gapFrom: 0n };
  const second = { ...first, isBeyond: true };
  const [one, two] = [[150n], [150n, 140n]].map((times) => window(100n, 200n, times));
  const started = pageAt([], { block: 0n, more: true, window: { start: 100n, end: 200n, hasMore: false } });
  const [whole, dropped] = [{ completeFrom: 100n }, { availableFrom: 150n }];

  test.each<[string, PageRequest, object, Parameters<typeof script>[0], object, object, starts: bigint[]]>([
    ["after a gap is complete from the end", down, needed, [late, early], {}, { gapFrom: 200n }, [100n]],
    ["ends with its window", down, needed, [late, none], whole, { ...second, completeFrom: 100n }, [100n]],
    ["without records proves nothing", down, {}, [none], {}, { completeFrom: never }, []],
    ["is proved by another node", down, needed, [late], next, { ...first, completeFrom: 0n }, [100n]],
    ["is the last one", down, needed, [late], dropped, { pageInfo: { hasNextPage: false } }, [100n]],
    ["with more in its window is followed there", down, needed, [window(100n, 200n, [], true)], {}, first, []],
    ["with records is not proved", down, needed, [early], {}, first, []],
    ["of a node without a block ends the list", down, {}, [started], {}, { pageInfo: { hasNextPage: false } }, []],
    ["has new records", down, known, [one, next], {}, second, []],
    ["has other records than the last one", down, known, [two], {}, first, []],
    ["is proved from its start", up, needed, [empty, next], whole, second, [100n]],
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
    ["the next window, of a list whose history begins later", undefined, undefined, 200n],
    ["the oldest record that nodes have", 550n, undefined, 550n],
    ["the next window, if nodes have nothing before the end", 550n, 500n, 200n],
  ])("from the oldest record on continues at %s", async (_, availableFrom, end, expected) => {
    const { read, requests } = script([empty, window(100n, 200n), pageAt([560n], { newestFirst: false })]);
    const prove: History<BalanceChange>["prove"] = async (page) => ({ ...page, ...(page.window && { availableFrom }) });
    const page = await throughWindows(read, { prove })({ ...up, end }, needed, new AbortController().signal);
    expect(requests.map(({ start }) => start)).toEqual([0n, 100n, expected]);
    expect(page).toMatchObject({ gapFrom: end ?? 560n });
  });
});
