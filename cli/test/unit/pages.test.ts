import { createClient, type Vote } from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { decodeCursor } from "../../src/serve/cursors.js";
import { watchNodes } from "../../src/serve/nodes.js";
import { createPages, readPageRequest } from "../../src/serve/pages.js";

test("the pages of a list that is larger than all that is kept come from one reading", async () => {
  const size = 50_001;
  const [vote] = createFakeNode({ votes: 1 }).records.votes as [Vote];
  const votes = Array.from({ length: size }, (_, index): Vote => {
    const timestamp = `${BigInt(vote.timestamp) - BigInt(index) * 1000n}` as const;
    return { ...vote, partyId: index.toString(16).padStart(64, "0"), timestamp };
  });
  const node = createFakeNode({ votes }, { rateLimit: false });
  const client = createClient({ baseUrl: "http://node.example", fetch: node.fetch });
  const readPage = createPages(client, watchNodes({ check: async () => [], status: [] }, Date.now));
  const { signal } = new AbortController();
  const request = readPageRequest("listVotes", { proposalId: vote.proposalId, pagination: { first: 3 } });
  const read = async (cursor?: string) => {
    const decoded = cursor === undefined ? undefined : decodeCursor(cursor, "listVotes");
    const { content } = await readPage({ ...request, cursor: decoded }, { signal, inTurn: async (_, task) => task() });
    return content;
  };
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
});
