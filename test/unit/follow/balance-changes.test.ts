import { describe, expect, test } from "vitest";
import { followBalanceChangesWith } from "../../../src/follow/balance-changes.js";
import type { FollowOptions } from "../../../src/follow/options.js";
import type { BalanceChange, PaginationError, ResponseError } from "../../../src/index.js";
import { compareRecords } from "../../../src/scan/records.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../../src/testing/index.js";
import { followSetting, take } from "../../support/follow-setting.js";

const second = 1_000_000_000n;
const start = 1_700_000_000n * second;
const day = 86_400;
const time = (seconds: number) => start + BigInt(seconds) * second;

/** The balance of an account in a block. */
const change = (seconds: number, account: number): BalanceChange => ({
  timestamp: `${time(seconds)}`,
  assetId: account.toString(16).padStart(64, "0"),
  partyId: "1".padStart(64, "0"),
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
  balance: "1",
});

/** A node with records at some seconds, whose next block begins at `begun`. */
function nodeWith(balances: readonly BalanceChange[], begun: number): FakeNode {
  const block = { height: BigInt(begun), timestamp: time(begun) };
  return createFakeNode({ balances, block }, { defects: nodeDefects, rateLimit: false });
}

/** Ends blocks until the given one has begun, with records in the last one that ends. */
function endBlock(node: FakeNode, begun: number, balances: readonly BalanceChange[] = []): void {
  node.nextBlock({ balances, block: { height: BigInt(begun), timestamp: time(begun) } });
}

/** A node whose responses have other headers. */
const withHeaders = (node: FakeNode, headers: Record<string, string>): Pick<FakeNode, "fetch"> => ({
  fetch: async (request) => {
    const { body, headers: all } = await node.fetch(request);
    return new Response(body, { headers: { ...Object.fromEntries(all), ...headers } });
  },
});

function follow(node: Pick<FakeNode, "fetch">, options: FollowOptions = {}, { pageSize = 5000, filter = {} } = {}) {
  const setting = followSetting(node.fetch);
  const follower = followBalanceChangesWith({ clock: setting.clock, pageSize }, setting.client, { filter }, options);
  return { ...setting, follower, take: (count: number) => setting.run(take(follower.batches(), count)) };
}

const batch = (records: readonly BalanceChange[], upTo: number) => ({
  records,
  upTo: time(upTo),
  resume: `${time(upTo)}`,
});

describe("a follower of balance changes", () => {
  test("begins by default with the current block", async () => {
    const node = nodeWith([change(1, 1), change(2, 1)], 3);
    const { take, requests } = follow(node);
    expect(await take(1)).toMatchObject([batch([], 3)]);
    endBlock(node, 4, [change(3, 1), change(3, 2)]);
    endBlock(node, 5, [change(4, 1)]);
    expect(await take(1)).toMatchObject([batch([change(3, 1), change(3, 2), change(4, 1)], 5)]);
    // Nodes from v0.75 on refuse a request without a range.
    for (const { url } of requests) expect(url.searchParams.has("dateRange.startTimestamp")).toBe(true);
  });

  test("begins at the oldest record, a time or the resume of a batch", async () => {
    const records = [change(1, 1), change(2, 1), change(2, 2), change(3, 1)];
    const node = nodeWith(records, 5);
    expect(await follow(node, { from: "start" }).take(1)).toMatchObject([batch(records, 5)]);
    expect(await follow(node, { from: 0n }).take(1)).toMatchObject([batch(records, 5)]);
    for (const from of [time(2), `${time(2)}`, new Date(Number(time(2) / 1_000_000n)), { epochNanoseconds: time(2) }]) {
      expect(await follow(node, { from }).take(1)).toMatchObject([batch(records.slice(1), 5)]);
    }
    expect(await follow(node, { from: time(2) + 1n }).take(1)).toMatchObject([batch(records.slice(3), 5)]);
    const [{ resume } = { resume: "" }] = await follow(node, { from: "start" }, { pageSize: 3 }).take(1);
    expect(resume).toBe(`${time(2)}`);
    expect(await follow(node, { from: resume }).take(1)).toMatchObject([batch(records.slice(1), 5)]);
  });

  test("yields no record of the current block, although the node has it", async () => {
    const node = nodeWith([change(1, 1)], 2);
    endBlock(node, 4, [change(3, 1)]);
    const lagging = withHeaders(node, { "x-block-timestamp": `${time(3)}` });
    expect(await follow(lagging, { from: "start" }).take(1)).toMatchObject([batch([change(1, 1)], 3)]);
  });

  test("yields a long history page by page, without a wait between the pages", async () => {
    const node = createFakeNode({ balances: 3000 }, { defects: nodeDefects, rateLimit: false });
    const { follower, run, requests } = follow(node, { from: "start" }, { pageSize: 500 });
    const records = await run(take(follower, 3000));
    expect(records).toEqual([...node.records.balances].sort(compareRecords));
    expect(requests.length).toBeGreaterThan(3);
    expect(requests.every(({ time }) => time === 0)).toBe(true);
  });

  test("reads through a block with more records than a page, and yields it in one batch", async () => {
    const dense = Array.from({ length: 60 }, (_, account) => change(2, account + 1));
    const records = [change(1, 1), ...dense, change(3, 1)];
    for (const defects of [nodeDefects, []]) {
      const node = nodeWith(records, 4);
      node.configure({ defects });
      const { take } = follow(node, { from: "start" }, { pageSize: 7 });
      const batches = await take(2);
      expect(batches.map(({ records }) => records.length)).toEqual([1, 61]);
      expect(batches.flatMap(({ records }) => records)).toEqual(records);
    }
  });

  test("ends with reason pruned if its position is before the history of the node, also of one with a shorter history", async () => {
    const node = nodeWith([change(5 * day, 1), change(9 * day, 1)], 10 * day);
    const { take } = follow(node, { from: time(4 * day) });
    const error = (await take(1).catch((reason: unknown) => reason)) as PaginationError;
    expect(error).toMatchObject({
      name: "PaginationError",
      operation: "followBalanceChanges",
      reason: "pruned",
      availableFrom: time(5 * day),
      resume: { from: time(4 * day) },
    });
    expect(error.message).toContain(
      `The range of followBalanceChanges begins at ${time(4 * day)} (2023-11-18T22:13:20.000Z)`,
    );

    const running = follow(nodeWith([change(1, 1), change(2, 1)], 3), { from: time(1) });
    expect(await running.take(1)).toMatchObject([batch([change(1, 1), change(2, 1)], 3)]);
    const other = nodeWith([change(1, 1), change(2, 1)], 3);
    const paused = follow(other, { from: time(1) });
    await paused.take(1);
    // The caller was away for four days, of which the node has dropped the first two.
    endBlock(other, 4 * day, [change(3 * day, 1)]);
    other.configure({ history: time(2 * day) });
    other.nextBlock({ block: { height: 4n * 86_400n + 1n, timestamp: time(4 * day + 1) } });
    const late = (await paused.take(1).catch((reason: unknown) => reason)) as PaginationError;
    expect(late).toMatchObject({ reason: "pruned", availableFrom: time(3 * day), resume: { from: `${time(3)}` } });
    const continued = follow(other, { from: late.availableFrom });
    expect(await continued.take(1)).toMatchObject([batch([change(3 * day, 1)], 4 * day + 1)]);
  });

  test("does not end with reason pruned on a node without records", async () => {
    expect(await follow(nodeWith([], 1000), { from: time(1) }).take(1)).toMatchObject([batch([], 1000)]);
  });

  test("detects that the node drops history while it is read", async () => {
    const node = nodeWith(
      Array.from({ length: 40 }, (_, index) => change(10_000 * index, 1)),
      500_000,
    );
    const { take } = follow(node, { from: "start" }, { pageSize: 10 });
    await take(2);
    node.configure({ history: time(300_000) });
    await expect(take(1)).rejects.toMatchObject({ reason: "pruned", resume: { from: `${time(180_000)}` } });
  });

  test.each([
    ["without a block", { "x-block-height": "" }, "without X-Block-Height and X-Block-Timestamp"],
    ["with a block that is no number", { "x-block-timestamp": "soon" }, "got a response without"],
  ])("ends with a ResponseError after a response %s", async (_, headers, message) => {
    const { take } = follow(withHeaders(nodeWith([change(1, 1)], 2), headers));
    const error = (await take(1).catch((reason: unknown) => reason)) as ResponseError;
    expect(error).toMatchObject({ name: "ResponseError", resume: { from: "now" } });
    expect(error.message).toContain(message);
  });

  test("ends with a ResponseError after records out of order or with an invalid time", async () => {
    for (const timestamps of [["2000", "1000"], ["soon"]]) {
      const edges = timestamps.map((timestamp) => ({ cursor: "", node: { ...change(1, 1), timestamp } }));
      const body = JSON.stringify({ balances: { edges, pageInfo: { hasNextPage: false } } });
      const headers = { "x-block-height": "1", "x-block-timestamp": "5000" };
      const { take } = follow({ fetch: async () => new Response(body, { headers }) }, { from: "start" });
      await expect(take(1)).rejects.toThrow(/followBalanceChanges got (records that are|a record with)/);
    }
  });
});
