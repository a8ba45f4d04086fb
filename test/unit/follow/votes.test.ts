import { describe, expect, test } from "vitest";
import type { FollowOptions } from "../../../src/follow/options.js";
import { followVotesWith } from "../../../src/follow/votes.js";
import type { PaginationError, ResponseError, Vote } from "../../../src/index.js";
import { createFakeNode, type FakeNode, type FakeVote, nodeDefects } from "../../../src/testing/index.js";
import { followSetting, take } from "../../support/follow-setting.js";
import { clamped } from "../../support/worlds/faults.js";

const second = 1_000_000_000n;
const time = (seconds: number) => 1_700_000_000n * second + BigInt(seconds) * second;
const proposalId = "f".padStart(64, "0");

/** A vote that was cast in a block. */
const vote = (seconds: number, party: number, members: Partial<Vote> = {}): Vote => ({
  partyId: party.toString(16).padStart(64, "0"),
  proposalId,
  timestamp: `${time(seconds)}`,
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "1",
  totalEquityLikeShareWeight: "1",
  perMarketEquityLikeShareWeight: {},
  ...members,
});

/** Votes as they are written again in a later block. */
const rewritten = (votes: readonly Vote[], seconds: number): FakeVote[] =>
  votes.map((vote) => ({ ...vote, blockTime: `${time(seconds)}` }));

function nodeWith(votes: readonly FakeVote[], begun: number): FakeNode {
  const block = { height: BigInt(begun), timestamp: time(begun) };
  return createFakeNode({ votes, block }, { defects: nodeDefects, rateLimit: false });
}

function endBlock(node: FakeNode, begun: number, votes: readonly FakeVote[] = []): void {
  node.nextBlock({ votes, block: { height: BigInt(begun), timestamp: time(begun) } });
}

function follow(node: Pick<FakeNode, "fetch">, options: FollowOptions = {}, pageSize = 5000) {
  const setting = followSetting(node.fetch);
  const follower = followVotesWith({ clock: setting.clock, pageSize }, setting.client, { proposalId }, options);
  return { ...setting, follower, take: (count: number) => setting.run(take(follower.batches(), count)) };
}

const batch = (records: readonly Vote[], upTo: number) => ({ records, upTo: time(upTo), resume: `${time(upTo)}` });

describe("a follower of votes", () => {
  test("begins by default with the current block, and yields the votes of each block when it has ended", async () => {
    const node = nodeWith([vote(1, 1), vote(2, 2)], 3);
    const { take } = follow(node);
    expect(await take(1)).toMatchObject([batch([], 3)]);
    endBlock(node, 4, [vote(3, 3)]);
    expect(await take(1)).toMatchObject([batch([vote(3, 3)], 4)]);
    endBlock(node, 5);
    endBlock(node, 6, [vote(5, 5), vote(5, 4)]);
    expect(await take(1)).toMatchObject([batch([vote(5, 4), vote(5, 5)], 6)]);
  });

  test("begins at the oldest vote, a time or the resume of a batch", async () => {
    const votes = [vote(1, 1), vote(2, 2), vote(4, 3)];
    const node = nodeWith(votes, 5);
    expect(await follow(node, { from: "start" }).take(1)).toMatchObject([batch(votes, 5)]);
    expect(await follow(node, { from: time(2) }).take(1)).toMatchObject([batch(votes.slice(1), 5)]);
    expect(await follow(node, { from: `${time(3)}` }).take(1)).toMatchObject([batch(votes.slice(2), 5)]);
  });

  test("follows the votes of a party, or the vote of a party on a proposal", async () => {
    const votes = [vote(1, 1), vote(2, 2)];
    const node = nodeWith(votes, 5);
    for (const query of [{ partyId: vote(1, 1).partyId }, { partyId: vote(1, 1).partyId, proposalId }]) {
      const { client, clock, run } = followSetting(node.fetch);
      const follower = followVotesWith({ clock, pageSize: 5000 }, client, query, { from: "start" });
      expect(await run(take(follower.batches(), 1))).toMatchObject([batch([vote(1, 1)], 5)]);
    }
  });

  test("yields a vote again that is rewritten with another member, and not one without a difference", async () => {
    const votes = [vote(1, 1), vote(1, 2), vote(2, 3, { perMarketEquityLikeShareWeight: { b: "1", a: "2" } })];
    const node = nodeWith(votes, 3);
    const { take } = follow(node, { from: "start" });
    expect(await take(1)).toMatchObject([batch(votes, 3)]);
    const again = [
      vote(1, 1),
      vote(1, 2, { totalGovernanceTokenWeight: "0.5" }),
      vote(2, 3, { perMarketEquityLikeShareWeight: { a: "2", b: "1" } }),
    ];
    endBlock(node, 4, rewritten(again, 3));
    expect(await take(1)).toMatchObject([batch(again.slice(1, 2), 4)]);
    endBlock(node, 5, [vote(4, 1, { value: "VALUE_NO" })]);
    expect(await take(1)).toMatchObject([batch([vote(4, 1, { value: "VALUE_NO" })], 5)]);
  });

  test("that continues from a resume yields all votes that are rewritten, because it does not know the earlier ones", async () => {
    const votes = [vote(1, 1), vote(1, 2)];
    const node = nodeWith(votes, 3);
    const { take } = follow(node, { from: `${time(3)}` });
    endBlock(node, 4, rewritten(votes, 3));
    expect(await take(1)).toMatchObject([batch(votes, 4)]);
  });

  test("requests small pages, and a large one only if a small one does not reach back to its position", async () => {
    const node = nodeWith(
      Array.from({ length: 300 }, (_, index) => vote(1, index)),
      2,
    );
    const { take, requests } = follow(node);
    const sizes = () => requests.splice(0).map(({ url }) => url.searchParams.get("pagination.first"));
    await take(1);
    expect(sizes()).toEqual(["1"]);
    endBlock(node, 3, [vote(2, 1)]);
    await take(1);
    expect(sizes()).toEqual(["100"]);
    const many = Array.from({ length: 150 }, (_, index) => vote(3, index));
    endBlock(node, 4, many);
    expect(await take(1)).toMatchObject([batch(many, 4)]);
    expect(sizes()).toEqual(["100", "5000"]);
  });

  test("reads several pages without a loss if any two neighboring blocks fit on one", async () => {
    const votes = Array.from({ length: 90 }, (_, index) => vote(Math.floor(index / 3), index));
    const node = nodeWith(votes, 40);
    const { take, requests } = follow(node, { from: "start" }, 8);
    expect(await take(1)).toMatchObject([batch(votes, 40)]);
    expect(requests.length).toBeGreaterThan(10);
  });

  test("ends with reason gap if a block cannot be passed, and continues after it from availableFrom", async () => {
    const closed = Array.from({ length: 30 }, (_, index) => vote(index, index));
    const node = nodeWith(rewritten(closed, 50), 51);
    endBlock(node, 60, [vote(52, 99)]);
    // A node whose pages are smaller than the block, whatever is requested.
    const small = { fetch: (request: Request) => node.fetch(clamped(request, 10)) };
    const { take } = follow(small as FakeNode, { from: `${time(45)}` }, 10);
    const error = (await take(1).catch((reason: unknown) => reason)) as PaginationError;
    expect(error).toMatchObject({
      name: "PaginationError",
      operation: "followVotes",
      reason: "gap",
      availableFrom: time(50) + 1000n,
      resume: { from: `${time(45)}` },
      cause: { reason: "repeated-cursor" },
    });
    expect(error.message).toMatch(/followVotes cannot reach all votes: .*`availableFrom`\./);
    const rest = follow(small as FakeNode, { from: error.availableFrom }, 10);
    expect(await rest.take(1)).toMatchObject([batch([vote(52, 99)], 60)]);
  });

  test("ignores a response of an earlier block", async () => {
    const current = nodeWith([vote(1, 1)], 9);
    const behind = nodeWith([vote(1, 1)], 5);
    let nodes = [current];
    const { take } = follow(
      { fetch: (request) => (nodes.shift() ?? current).fetch(request as Request) },
      { from: "start" },
    );
    expect(await take(1)).toMatchObject([batch([vote(1, 1)], 9)]);
    endBlock(current, 10, [vote(9, 2)]);
    nodes = [behind, behind];
    expect(await take(1)).toMatchObject([batch([vote(9, 2)], 10)]);
  });

  test("ends with a ResponseError if cursors name no block, or if votes are out of order", async () => {
    const reliable = createFakeNode({ votes: [vote(1, 1)] });
    const error = (await follow(reliable)
      .take(1)
      .catch((reason: unknown) => reason)) as ResponseError;
    expect(error).toMatchObject({ name: "ResponseError", resume: { from: "now" } });
    expect(error.message).toContain("followVotes got a vote with a cursor that names no block from");

    const cursor = (seconds: string) =>
      btoa(JSON.stringify({ party_id: "", vega_time: `2024-02-09T16:54:${seconds}Z` }));
    const edges = ["10", "11"].map((seconds) => ({ cursor: cursor(seconds), node: vote(1, Number(seconds)) }));
    const body = JSON.stringify({ votes: { edges, pageInfo: { hasNextPage: false } } });
    const headers = { "x-block-height": "1", "x-block-timestamp": `${time(1)}` };
    const shuffled = follow({ fetch: async () => new Response(body, { headers }) });
    await expect(shuffled.take(1)).rejects.toThrow("votes that are out of order");
  });
});
