import { describe, expect, test } from "vitest";
import type { FollowOptions } from "../../../src/follow/options.js";
import { votes as kind } from "../../../src/follow/votes.js";
import type { PaginationError, Vote } from "../../../src/index.js";
import { createFakeNetwork, type FakeVote, nodeDefects } from "../../../src/testing/index.js";
import {
  batchOf,
  endBlock,
  followerOf,
  followSetting,
  nodeAt,
  type Served,
  timeAt,
} from "../../support/follow-setting.js";
import { clamped } from "../../support/worlds/faults.js";

const proposalId = "f".padStart(64, "0");

/** A vote that was cast in a block. */
const vote = (seconds: number, party: number, members: Partial<Vote> = {}): Vote => ({
  partyId: party.toString(16).padStart(64, "0"),
  proposalId,
  timestamp: `${timeAt(seconds)}`,
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "1",
  totalEquityLikeShareWeight: "1",
  perMarketEquityLikeShareWeight: {},
  ...members,
});

/** Votes as they are written again in a later block. */
const rewritten = (votes: readonly Vote[], seconds: number): FakeVote[] =>
  votes.map((vote) => ({ ...vote, blockTime: `${timeAt(seconds)}` }));

const follow = (node: Served, options?: FollowOptions, pageSize?: number, query: object = {}) =>
  followerOf(kind, node, { proposalId, ...query }, options, pageSize);

describe("a follower of votes", () => {
  test("begins by default with the current block, and yields the votes of each block when it has ended", async () => {
    const node = nodeAt(3, { votes: [vote(1, 1), vote(2, 2)] });
    const { take } = follow(node);
    expect(await take(1)).toMatchObject([batchOf([], 3)]);
    endBlock(node, 4, { votes: [vote(3, 3)] });
    expect(await take(1)).toMatchObject([batchOf([vote(3, 3)], 4)]);
    endBlock(node, 5);
    endBlock(node, 6, { votes: [vote(5, 5), vote(5, 4)] });
    expect(await take(1)).toMatchObject([batchOf([vote(5, 4), vote(5, 5)], 6)]);
  });

  test("yields more votes than a small page has, also if some of these are later than the block of the response", async () => {
    const earlier = Array.from({ length: 150 }, (_, party) => vote(2 + Math.floor(party / 30), party));
    // v0.74 nodes read the block for the headers before the records: it can end meanwhile.
    const later = [1, 2, 3].map((party) => vote(9, 1000 + party));
    const node = nodeAt(9, { votes: [...earlier, ...later] });
    const [batch] = await follow(node, { from: `${timeAt(1)}` }).take(1);
    expect(batch?.records.length).toBe(150);
  });

  test("yields an empty batch of a proposal without votes", async () => {
    for (const from of ["start", `${timeAt(1)}`] as const)
      expect(await follow(nodeAt(3), { from }).take(1)).toMatchObject([batchOf([], 3)]);
  });

  test("loses no vote to a node that has none of them, at a later block", async () => {
    const node = nodeAt(3, { votes: [vote(1, 1)] });
    const other = nodeAt(5, { votes: [] });
    let isOther = false;
    const fetch = (request: Request) => (isOther ? other : node).fetch(request).finally(() => (isOther = false));
    const { take } = follow({ fetch }, { from: "start" });
    expect(await take(1)).toMatchObject([batchOf([vote(1, 1)], 3)]);
    endBlock(node, 4, { votes: [vote(3, 2)] });
    isOther = true;
    expect(await take(1)).toMatchObject([batchOf([vote(3, 2)], 4)]);
  });

  test("repeats a poll whose second page is of a node that stays behind", async () => {
    const votes = Array.from({ length: 15 }, (_, index) => vote(index, index));
    const [node, behind] = [nodeAt(30, { votes }), nodeAt(20, { votes })];
    let left = 60;
    const isBehind = (url: string) => url.includes("pagination.after") && left-- > 0;
    const fetch = (request: Request) => (isBehind(request.url) ? behind : node).fetch(request);
    expect(await follow({ fetch }, { from: "start" }, 10).take(1)).toMatchObject([batchOf(votes, 30)]);
    expect(left).toBeLessThan(0);
  });

  test("copies what it knows of votes only when there are new ones", async () => {
    const node = nodeAt(3, { votes: [vote(1, 1)] });
    const { client } = followSetting(node.fetch);
    const poll = (state: Parameters<typeof kind.poll>[0]) =>
      kind.poll(state, { client, query: { proposalId }, call: {}, pageSize: 100 });
    const { state: before } = await poll(kind.begin("start"));
    endBlock(node, 4);
    const { state } = await poll(before);
    expect(state.upTo).toBe(timeAt(4));
    expect(state.seen).toBe(before.seen);
    endBlock(node, 5, { votes: [vote(4, 2)] });
    expect((await poll(state)).state.seen.size).toBe(2);
  });

  test("yields no batch while the block is the same", async () => {
    const node = nodeAt(3, { votes: [vote(1, 1)] });
    let requests = 0;
    const fetch = (request: Request) => {
      if (++requests === 4) endBlock(node, 4, { votes: [vote(3, 2)] });
      return node.fetch(request);
    };
    const { take } = follow({ fetch }, { from: "start" });
    expect(await take(2)).toMatchObject([batchOf([vote(1, 1)], 3), batchOf([vote(3, 2)], 4)]);
  });

  const old = [1, 2, 3, 4, 5].map((party) => vote(party, party));
  const closed = old.map((each) => ({ ...each, totalGovernanceTokenWeight: "0.2" }));

  test.each([
    ["is cast", old, [vote(9, 7)]],
    ["is cast again", old.slice(1), [vote(9, 1)]],
    ["is rewritten at the close", old.slice(3), closed],
  ])("yields a vote that %s while pages are requested with the next batch", async (_, first, written) => {
    const node = nodeAt(9, { votes: old });
    let requests = 0;
    const fetch = (request: Request) => {
      if (++requests === 2) endBlock(node, 10, { votes: rewritten(written, 9) });
      return node.fetch(request);
    };
    const { take } = follow({ fetch }, { from: "start" }, 2);
    expect(await take(2)).toMatchObject([batchOf(first, 9), batchOf(written, 10)]);
  });

  test("yields the votes of a block by party, in whichever order the node has them", async () => {
    const votes = Array.from({ length: 9 }, (_, party) => vote(1, party));
    const block = { height: 3n, timestamp: timeAt(3) };
    const { nodes } = createFakeNetwork({ nodes: 3, votes, block }, { defects: nodeDefects, rateLimit: false });
    for (const node of nodes) {
      expect(await follow(node, { from: "start" }).take(1)).toMatchObject([batchOf(votes, 3)]);
    }
  });

  test.each<[what: string, from: FollowOptions["from"], query: object, found: number[]]>([
    ["the oldest vote", "start", {}, [1, 2, 3]],
    ["a time", timeAt(2), {}, [2, 3]],
    ["the resume of a batch", `${timeAt(3)}`, {}, [3]],
    ["the oldest vote of a party", "start", { partyId: vote(1, 1).partyId, proposalId: undefined }, [1]],
    ["the oldest vote of a party on a proposal", "start", { partyId: vote(1, 1).partyId }, [1]],
  ])("begins at %s", async (_, from, query, found) => {
    const votes = [vote(1, 1), vote(2, 2), vote(4, 3)];
    const { take } = follow(nodeAt(5, { votes }), { from }, 5000, query);
    const records = found.map((party) => votes[party - 1] as Vote);
    expect(await take(1)).toMatchObject([batchOf(records, 5)]);
  });

  test("yields a vote again that is rewritten with another member, and after a resume each that is rewritten", async () => {
    const votes = [vote(1, 1), vote(1, 2), vote(2, 3)];
    const node = nodeAt(3, { votes });
    const { take } = follow(node, { from: "start" });
    expect(await take(1)).toMatchObject([batchOf(votes, 3)]);
    // It does not know the earlier versions.
    const continued = follow(node, { from: `${timeAt(3)}` });
    const again = [vote(1, 1), vote(1, 2, { totalGovernanceTokenWeight: "0.5" }), vote(2, 3)];
    endBlock(node, 4, { votes: rewritten(again, 3) });
    expect(await take(1)).toMatchObject([batchOf(again.slice(1, 2), 4)]);
    expect(await continued.take(1)).toMatchObject([batchOf(again, 4)]);
    endBlock(node, 5, { votes: [vote(4, 1, { value: "VALUE_NO" })] });
    expect(await take(1)).toMatchObject([batchOf([vote(4, 1, { value: "VALUE_NO" })], 5)]);
  });

  test("does not yield a vote again that another version of the node rewrites without a change", async () => {
    const shares = { perMarketEquityLikeShareWeight: { ["b".repeat(64)]: "0.2", ["a".repeat(64)]: "0.1" } };
    const votes = [vote(1, 1, shares), vote(1, 2)];
    const node = nodeAt(3, { votes });
    const { take } = follow(node, { from: "start" });
    expect(await take(1)).toMatchObject([batchOf(votes, 3)]);
    node.configure({ version: "v0.79" });
    endBlock(node, 4, { votes: rewritten(votes, 3) });
    expect(await take(1)).toMatchObject([batchOf([], 4)]);
  });

  test("remembers the last votes of two pages, and yields earlier ones again when they are rewritten", async () => {
    const votes = Array.from({ length: 25 }, (_, index) => vote(index, index));
    const node = nodeAt(30, { votes });
    const { take } = follow(node, { from: "start" }, 10);
    expect(await take(1)).toMatchObject([batchOf(votes, 30)]);
    const [first, last] = [vote(0, 0), vote(24, 24)];
    endBlock(node, 31, { votes: rewritten([first, last], 30) });
    expect(await take(1)).toMatchObject([batchOf([first], 31)]);
    // A vote that has changed is one of the last ones.
    const changed = vote(31, 7, { value: "VALUE_NO" });
    endBlock(node, 32, { votes: [changed] });
    expect(await take(1)).toMatchObject([batchOf([changed], 32)]);
    const others = [vote(32, 25), vote(32, 26)];
    endBlock(node, 33, { votes: others });
    expect(await take(1)).toMatchObject([batchOf(others, 33)]);
    endBlock(node, 34, { votes: rewritten([changed], 33) });
    expect(await take(1)).toMatchObject([batchOf([], 34)]);
  });

  test("requests small pages, and a large one only if a small one does not reach back to its position", async () => {
    const node = nodeAt(2, { votes: Array.from({ length: 300 }, (_, index) => vote(1, index)) });
    const { take, requests } = follow(node);
    const sizes = () => requests.splice(0).map(({ url }) => url.searchParams.get("pagination.first"));
    await take(1);
    expect(sizes()).toEqual(["1"]);
    endBlock(node, 3, { votes: [vote(2, 1)] });
    await take(1);
    expect(sizes()).toEqual(["100"]);
    const many = Array.from({ length: 150 }, (_, index) => vote(3, index));
    endBlock(node, 4, { votes: many });
    expect(await take(1)).toMatchObject([batchOf(many, 4)]);
    expect(sizes()).toEqual(["100", "5000"]);
    const small = follow(node, { from: `${timeAt(3)}` }, 120);
    await small.take(1);
    const { requests: ofSmall } = small;
    expect(ofSmall.map(({ url }) => url.searchParams.get("pagination.first"))).toEqual(["100", "120", "240"]);
  });

  test("ends with reason gap if a block cannot be passed, and continues after it from availableFrom", async () => {
    const closed = Array.from({ length: 30 }, (_, index) => vote(index, index));
    const node = nodeAt(51, { votes: rewritten(closed, 50) });
    const later = [vote(52, 98), vote(52, 99)];
    endBlock(node, 60, { votes: later });
    // A node whose pages are smaller than the block, whatever is requested.
    const small = { fetch: (request: Request) => node.fetch(clamped(request, 10)) };
    const { take } = follow(small, { from: `${timeAt(45)}` }, 10);
    const error = (await take(1).catch((reason: unknown) => reason)) as PaginationError;
    expect(error).toMatchObject({
      name: "PaginationError",
      operation: "followVotes",
      reason: "gap",
      availableFrom: timeAt(50) + 1000n,
      resume: { from: `${timeAt(45)}` },
      cause: { reason: "repeated-cursor" },
    });
    expect(error.message).toMatch(/followVotes cannot reach all votes: .*`availableFrom`\./);
    expect(await follow(small, { from: error.availableFrom }, 10).take(1)).toMatchObject([batchOf(later, 60)]);
  });

  test("ends with an error if cursors name no block, or if votes are out of order", async () => {
    const message =
      "followVotes expected votes sorted by block, newest first, with block times in their cursors. Use another node.";
    const inOrder = [{ party_id: "11" }, { party_id: "10" }];
    const cursorsOf = (...times: number[]) => times.map((seconds) => ({ vega_time: `2024-02-09T16:54:${seconds}Z` }));
    for (const cursors of [inOrder, cursorsOf(12, 10, 11), cursorsOf(13, 12, 10, 11)]) {
      const edges = cursors.map((cursor, index) => ({ cursor: btoa(JSON.stringify(cursor)), node: vote(1, index) }));
      const body = JSON.stringify({ votes: { edges, pageInfo: { hasNextPage: false } } });
      const headers = { "x-block-height": "1", "x-block-timestamp": `${timeAt(10_000_000)}` };
      const { take } = follow({ fetch: async () => new Response(body, { headers }) }, { from: "start" });
      await expect(take(1)).rejects.toMatchObject({ name: "VegaError", message, resume: { from: "start" } });
    }
  });
});
