import { describe, expect, test } from "vitest";
import { type BalanceChange, createClient } from "../../../src/index.js";
import type { History } from "../../../src/list/history.js";
import type { NodePage } from "../../../src/list/page.js";
import { planWalk } from "../../../src/list/plan.js";
import { readPage } from "../../../src/list/read-page.js";
import { startOf } from "../../../src/list/state.js";
import { readWalkOptions } from "../../../src/list/walk-options.js";
import { throughWindows } from "../../../src/list/windows.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { changesAt } from "../../support/records.js";
import { pageAt, script } from "../../support/scripted-pages.js";

type Prove = History<BalanceChange>["prove"];

const { signal } = new AbortController();

describe("through windows, a page", () => {
  const window = (start: bigint, end: bigint, times: bigint[] = [], block?: bigint) =>
    pageAt(times, { block, more: true, window: { start, end, hasMore: false } });
  const [late, early] = [window(100n, 200n), window(0n, 100n, [50n])];
  const next = pageAt([150n]);
  const down = { pagination: { first: 9 }, end: 200n };
  const needed = { needsBlock: true };

  test("after several windows proves each, up to the first gap", async () => {
    const { read } = script([window(300n, 400n), window(200n, 300n), late, early]);
    const prove: Prove = async ({ page, start }) => ({ ...page, completeFrom: start > 200n ? start : 400n });
    const page = await throughWindows(read, { prove }, false)({ ...down, end: 400n }, needed, signal);
    expect(page).toMatchObject({ edges: early.edges, gapFrom: 300n });
  });

  test.each([
    ["although a proof takes its place", { gapFrom: 9000n }, {}],
    ["if the gap is that of the proof", {}, { gapFrom: 9000n }],
  ])("after a gap does not claim the windows before it, %s", async (_, ofPage, ofProof) => {
    const request = { pagination: {} };
    const passed: NodePage<BalanceChange> = { ...pageAt([]), foundIn: request, ...ofPage };
    // With the cursor of a node, the end of the list is requested once more.
    const { fetch } = createFakeNode({ balances: changesAt([5000n]) });
    const { edges } = await createClient({ baseUrl: "https://node.example", fetch }).listBalanceChanges();
    const proved = { ...pageAt([]), edges, completeFrom: 100n, ...ofProof };
    const history: History<BalanceChange> = { prove: async () => proved, oldestAfter: async () => undefined };
    const range = { start: 100n, end: undefined };
    const options = { ...readWalkOptions(), ...request, pageSize: 9, kind: "changes", range, history } as const;
    const plan = planWalk<BalanceChange>({ ...options, fetchPage: script([passed]).read });
    const page = await readPage(plan, startOf(plan), { signal });
    expect(page).toMatchObject({ nodes: [{ timestamp: "5000" }], completeFrom: 9000n });
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
      const read = throughWindows(script(pages).read, { prove }, false);
      const page = await read(down, needed, signal);
      expect(page.edges).toEqual((other.edges ? next : early).edges);
      expect(page.extra.block?.timestamp).toBe(expected);
      // Older pages decide whether the list ends there.
      expect(page.availableFrom).toBeUndefined();
    }
    expect(proofs).toEqual([expected, expected]);
  });

  test.each([
    ["is not passed for an empty response without block headers, if others have some", undefined, down],
    ["is passed for an empty response with block headers", 9n, { ...down, end: 100n }],
  ])("%s", async (_, block, second) => {
    const filled = window(100n, 200n, [150n]);
    const { read, requests, expectations } = script([window(100n, 200n, [], block), filled]);
    const page = await throughWindows(read, { prove: async ({ page }) => page }, false)(down, {}, signal);
    expect(page.edges).toEqual(filled.edges);
    expect(requests).toEqual([down, second]);
    expect(expectations).toEqual([{}, block === undefined ? needed : {}]);
  });
});
