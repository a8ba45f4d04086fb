import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BalanceChange, createClient, type Vote } from "../../../src/index.js";
import { type InfiniteQueryOptions, type PageData, queries } from "../../../src/query/index.js";
import { createFakeNode, type FakeNodeData, nodeDefects } from "../../../src/testing/index.js";
import { changesAt, hex, votesAt } from "../../support/records.js";
import { runs } from "../../support/runs.js";

const proposalId = hex(0xfff);
const second = 1_000_000_000n;

function connect(data: FakeNodeData) {
  const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
  return { node, vega: queries(createClient({ baseUrl: "https://node.example", fetch: node.fetch, pacing: false })) };
}

const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

/** Fetches a list as query libraries do: each page begins where the one before it says, and all is kept as JSON meanwhile. */
async function fetchAll<T>({ queryFn, initialPageParam, getNextPageParam, select }: InfiniteQueryOptions<T>) {
  const [pages, pageParams]: [PageData<T>[], (typeof initialPageParam)[]] = [[], []];
  for (let pageParam: typeof initialPageParam | undefined = initialPageParam; pageParam !== undefined; ) {
    const page = json(await queryFn({ pageParam: json(pageParam) }));
    pages.push(page);
    pageParams.push(pageParam);
    pageParam = getNextPageParam(page);
  }
  return select({ pages, pageParams }).pages.flatMap(({ nodes }) => nodes);
}

const sortedKeys = (records: readonly (BalanceChange | Vote)[]) =>
  records.map(({ timestamp, partyId }) => `${timestamp} ${partyId}`).sort();

/** The time of each record, by the distance of blocks in nanoseconds and the number of records in each. */
function timesOf(blocks: readonly { gap: bigint; count: number }[]): bigint[] {
  let time = 1_707_486_400_000_000_000n;
  return blocks.flatMap(({ gap, count }) => {
    time += gap;
    return Array<bigint>(count).fill(time);
  });
}

describe("an infinite list on a v0.74 node", () => {
  test("shows every balance change once at any density and page size, in both orders, also after a refetch", async () => {
    const block = fc.record({ gap: fc.constantFrom(1000n, 2000n, second), count: fc.integer({ min: 1, max: 9 }) });
    const blocks = fc.array(block, { minLength: 1, maxLength: 12 });
    const pages = fc.record({ first: fc.integer({ min: 1, max: 12 }), newestFirst: fc.boolean() });
    const property = fc.asyncProperty(blocks, pages, async (blocks, pagination) => {
      const { node, vega } = connect({ balances: changesAt(timesOf(blocks)) });
      const records = await fetchAll(vega.listBalanceChanges.infinite({ pagination }));
      expect(sortedKeys(records)).toEqual(sortedKeys(node.records.balances));
      const sorted = records.map(({ timestamp }) => timestamp).sort();
      expect(records.map(({ timestamp }) => timestamp)).toEqual(pagination.newestFirst ? sorted.reverse() : sorted);
      node.nextBlock({ balances: 5 });
      const refetched = await fetchAll(vega.listBalanceChanges.infinite({ pagination }));
      expect(sortedKeys(refetched)).toEqual(sortedKeys(node.records.balances));
    });
    await fc.assert(property, runs(15));
  });

  const cast = votesAt([1n, 2n, 3n], proposalId) as Vote[];
  const closed = cast.map((vote) => ({ ...vote, totalGovernanceTokenWeight: "0.5" }));
  const again = { ...cast[0], timestamp: "4", value: "VALUE_NO" } as Vote;
  test.each([
    ["each vote once in its last version if they are rewritten", closed, [closed.slice(0, 2), closed.slice(2)]],
    ["the last vote of a party that votes again", [again], [[again, cast[1]], [cast[2]]]],
  ])("shows %s while pages are loaded", (_, later, shown) => {
    const { select } = connect({ votes: 1 }).vega.listVotes.infinite({ proposalId });
    const loaded = [cast.slice(0, 2), [...cast.slice(2), ...later]];
    const pages = loaded.map((nodes) => ({ nodes, pageInfo: null, stale: false }));
    expect(select({ pages, pageParams: [null, null] }).pages.map(({ nodes }) => nodes)).toEqual(shown);
  });

  test("is, as a whole, each vote once in its last version", async () => {
    const { node } = connect({ votes: votesAt([1n, 2n, 3n], proposalId) });
    const fetch = async (request: Request) => {
      const response = await node.fetch(request);
      if (node.requests.length === 1) {
        node.nextBlock({ votes: closed.map((vote) => ({ ...vote, blockTime: undefined })) });
        node.nextBlock();
        node.nextBlock();
      }
      return response;
    };
    const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
    const pagination = { first: 2, newestFirst: false };
    const { nodes } = await queries(client).listVotes.all({ proposalId, pagination }).queryFn();
    expect(nodes.map(({ totalGovernanceTokenWeight }) => totalGovernanceTokenWeight)).toEqual(["0.5", "0.5", "0.5"]);
  });

  test("has the first page of the profiles, and an error that says how to get the others", async () => {
    const { infinite } = connect({ profiles: 30 }).vega.listPartiesProfiles;
    expect(await fetchAll(infinite())).toHaveLength(30);
    const cut = infinite({ pagination: { first: 10 } });
    expect((await cut.queryFn({ pageParam: null })).nodes).toHaveLength(10);
    await expect(fetchAll(cut)).rejects.toThrow("reject every cursor of this list");
  });

  test("rejects after a page that no cursor leads on from, and returns that page", async () => {
    const { node } = connect({ signatures: [{}, {}] });
    const fetch = async (request: Request) => {
      const { signatures } = await (await node.fetch(request)).json();
      return Response.json({ signatures: { ...signatures, pageInfo: { ...signatures.pageInfo, hasNextPage: true } } });
    };
    const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
    const { queryFn, getNextPageParam } = queries(client).listNodeSignatures.infinite({ id: hex(1) });
    const page = json(await queryFn({ pageParam: null }));
    const message = expect.stringContaining("returned no `endCursor`");
    expect(page).toMatchObject({ nodes: [], unreachable: { reason: "missing-cursor", message } });
    await expect(queryFn({ pageParam: getNextPageParam(page) ?? null })).rejects.toMatchObject({
      name: "PaginationError",
      reason: "missing-cursor",
    });
  });
});
