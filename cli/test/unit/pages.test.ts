import { createClient, type Vote } from "vegaprotocol-client";
import { nodePool } from "vegaprotocol-client/pool";
import { createFakeNetwork, createFakeNode, type FakeNetwork } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { decodeCursor } from "../../src/serve/cursors.js";
import { createLists } from "../../src/serve/lists.js";
import { watchNodes } from "../../src/serve/nodes.js";
import { createPages, readPageRequest } from "../../src/serve/pages.js";

type Node = FakeNetwork["nodes"][number];

test("the pages of a list that is larger than all that is kept come from one reading", async () => {
  const size = 50_001;
  const [vote] = createFakeNode({ votes: 1 }).records.votes as [Vote];
  const votes = Array.from({ length: size }, (_, index): Vote => {
    const timestamp = `${BigInt(vote.timestamp) - BigInt(index) * 1000n}` as const;
    return { ...vote, partyId: index.toString(16).padStart(64, "0"), timestamp };
  });
  const other = "0b".repeat(32);
  const few = votes.slice(0, 10).map((each) => ({ ...each, proposalId: other }));
  const node = createFakeNode({ votes: [...votes, ...few] }, { rateLimit: false });
  const client = createClient({ baseUrl: "http://node.example", fetch: node.fetch });
  const readPage = createPages(client, watchNodes({ check: async () => [], status: [] }, Date.now));
  const { signal } = new AbortController();
  const read = async (cursor?: string, proposalId = vote.proposalId, newestFirst = true) => {
    const request = readPageRequest("listVotes", { proposalId, pagination: { first: 3, newestFirst } });
    const decoded = cursor === undefined ? undefined : decodeCursor(cursor, "listVotes");
    const { content } = await readPage({ ...request, cursor: decoded }, { signal, inTurn: async (_, task) => task() });
    return content;
  };
  const before = await read(undefined, other, false);
  const found: object[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 4; page++) {
    if (page === 2) node.requests.length = 0;
    const { edges, pageInfo } = await read(cursor);
    found.push(...edges.map((edge) => edge.node));
    cursor = pageInfo.endCursor;
  }
  expect(found).toEqual(votes.slice(0, 12));
  expect(node.requests).toEqual([]);
  // It took the place of a smaller one.
  await read(before.pageInfo.endCursor, other, false);
  expect(node.requests).not.toEqual([]);
});

test("a list is read from a node that has reached a block if another one has not", async () => {
  const network = createFakeNetwork({ nodes: [{ lag: 2 }, {}], votes: 30 });
  const [behind, node] = network.nodes as [Node, Node];
  const baseUrl = nodePool([behind.url, node.url], { order: "given" });
  const lists = createLists(createClient({ baseUrl, fetch: network.fetch }));
  const { signal } = new AbortController();
  const query = { proposalId: network.records.votes[0]?.proposalId };
  const read = async (minBlock: bigint) => {
    const request = { id: "listVotes", query, arrival: lists.arrive(), minBlock } as const;
    return (await lists.read(request, signal, () => node.url)).earliest;
  };
  expect(await read(0n)).toBe(behind.block.timestamp);
  expect(await read(node.block.timestamp)).toBe(node.block.timestamp);
  await expect(read(node.block.timestamp + 1n)).rejects.toThrow("No node has reached the block of the pages before.");
});
