import { describe, expect, test } from "vitest";
import type { BalanceChange } from "../../../src/index.js";
import type { History } from "../../../src/list/history.js";
import { never } from "../../../src/list/judge.js";
import type { NodePage, PageRequest } from "../../../src/list/page.js";
import { throughWindows } from "../../../src/list/windows.js";
import { pageAt, script } from "../../support/scripted-pages.js";

type Prove = History<BalanceChange>["prove"];

describe("through windows, a page", () => {
  const window = (start: bigint, end: bigint, times: bigint[] = [], hasMore = false) =>
    pageAt(times, { more: true, window: { start, end, hasMore } });
  const [late, early, empty] = [window(100n, 200n), window(0n, 100n, [50n]), window(0n, 100n)];
  const [next, none] = [pageAt([150n]), pageAt([])];
  const down = { pagination: { first: 9 }, end: 200n };
  const up = { pagination: { first: 9, newestFirst: false }, start: 0n };
  const [needed, known] = [{ needsBlock: true }, { continuesFrom: { records: [{ timestamp: "150" }] } }];
  const shown = { ...needed, continuesFrom: { records: [{ timestamp: "50" }] } };
  const [one, two] = [[150n], [150n, 140n]].map((times) => window(100n, 200n, times));
  const other = { edges: two?.edges, completeFrom: 0n, foundIn: { ...down, start: 100n } };
  const first = { foundIn: undefined };
  const [later, earlier] = [{ foundIn: { ...up, start: 100n } }, { foundIn: { ...down, end: 100n } }];
  const more = { pageInfo: { hasNextPage: true } };
  const idle = pageAt([], { block: 9n, more: true, window: { start: 100n, end: 200n, hasMore: false } });
  const filled = window(100n, 200n, [], true);
  const [proved, half] = [{ completeFrom: 100n }, { completeFrom: 150n }];

  test.each<[string, PageRequest, object, Parameters<typeof script>[0], object, object, starts: bigint[]]>([
    ["after a gap is complete from the end", down, needed, [late, early], {}, { ...earlier, gapFrom: 200n }, [100n]],
    ["after half a gap is complete from there", down, needed, [late, early], half, { gapFrom: 150n }, [100n]],
    ["after a proved window has no gap", down, needed, [late, early], proved, { ...early, ...earlier }, [100n]],
    ["ends with its window", down, needed, [late, none], proved, { ...none, ...earlier, ...proved }, [100n]],
    ["without records proves nothing", down, {}, [none], {}, { completeFrom: never }, []],
    ["is of another node", down, needed, [late, early], next, { ...next, ...more, completeFrom: 0n }, [100n]],
    ["alone is proved if it has records", down, {}, [idle, early], {}, earlier, [100n]],
    ["alone is not proved if it has none", down, {}, [idle, none], {}, earlier, []],
    ["with more in its window is followed there", down, needed, [filled], {}, first, []],
    ["with more in a later window is followed there", up, needed, [empty, filled], {}, later, []],
    ["with records is not proved", down, needed, [early], {}, first, []],
    ["has new records", down, { ...known, ...needed }, [one, early], proved, { ...early, ...earlier }, [100n]],
    ["has other records than the last one", down, known, [two], {}, first, []],
    ["has new records of another node", down, { ...known, ...needed }, [one, early], two ?? {}, other, [100n]],
    ["oldest first is proved later", up, needed, [empty, next], {}, { ...next, ...later }, []],
    ["oldest first after known records is proved later", up, shown, [early, next], {}, later, []],
  ])("%s", async (_, request, expectation, pages, proof, expected, starts) => {
    const { read, requests, expectations } = script(pages);
    const proofs: bigint[] = [];
    const prove: Prove = async ({ page, start }) => {
      proofs.push(start);
      return { ...page, ...proof };
    };
    const page = await throughWindows(read, { prove })(request, expectation, new AbortController().signal);
    expect(page).toMatchObject(expected);
    const next = { ...request, ...(request === down ? { end: 100n } : { start: 100n }) };
    expect(requests).toEqual([request, next].slice(0, pages.length));
    expect(expectations[1]?.continuesFrom).toBeUndefined();
    expect(proofs).toEqual(starts);
  });

  test("after several windows proves each with its own bounds, up to the first gap, at the block of the page", async () => {
    const windows = [window(300n, 400n), window(200n, 300n), late];
    const { read } = script([...windows, early]);
    const proofs: [NodePage<BalanceChange>, PageRequest][] = [];
    const prove: Prove = async ({ page, request, start }) => {
      proofs.push([page, request]);
      return { ...page, completeFrom: start > 200n ? start : never };
    };
    const page = await throughWindows(read, { prove })({ ...down, end: 400n }, needed, new AbortController().signal);
    expect(page).toMatchObject({ edges: early.edges, gapFrom: 300n });
    expect(proofs.map(([, request]) => request)).toEqual([
      { ...down, start: 300n, end: 400n },
      { ...down, start: 200n, end: 300n },
    ]);
    for (const [shown] of proofs) expect(shown).toMatchObject({ extra: early.extra, completeFrom: never });
  });

  test.each([
    ["an earlier one", 90n, 250n, 90n],
    ["a later one", 250n, 90n, 90n],
    ["none", undefined, 250n, undefined],
    ["one before a page without", 250n, undefined, undefined],
  ])("claims nothing after the block of the first window: %s", async (_, first, last, expected) => {
    const blockAt = (timestamp: bigint | undefined) => ({ extra: pageAt([], { block: timestamp }).extra });
    const pages = [
      { ...late, ...blockAt(first) },
      { ...early, ...blockAt(last) },
    ];
    const proofs: (bigint | undefined)[] = [];
    // Of the page, and of a page of another node that proves the window.
    for (const other of [{}, { edges: next.edges }]) {
      const prove: Prove = async ({ page }) => {
        proofs.push(page.extra.block?.timestamp);
        return { ...page, completeFrom: 100n, availableFrom: 100n, ...blockAt(last), ...other };
      };
      const read = throughWindows(script(pages).read, { prove });
      const page = await read(down, needed, new AbortController().signal);
      expect(page.edges).toEqual((other.edges ? next : early).edges);
      expect(page.extra.block?.timestamp).toBe(expected);
      // Older pages decide whether the list ends there.
      expect(page.availableFrom).toBeUndefined();
    }
    expect(proofs).toEqual([expected, expected]);
  });

  test("is not passed for an empty response without block headers, if others have some", async () => {
    const filled = window(100n, 200n, [150n]);
    const { read, requests, expectations } = script([late, filled]);
    const page = await throughWindows(read, { prove: async ({ page }) => page })(
      down,
      {},
      new AbortController().signal,
    );
    expect(page.edges).toEqual(filled.edges);
    expect(requests).toEqual([down, down]);
    expect(expectations).toEqual([{}, { needsBlock: true }]);
  });
});
