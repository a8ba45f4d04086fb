import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BalanceChange,
  createClient,
  type Listing,
  type Page,
  PaginationError,
  type Vote,
} from "../../src/index.js";
import {
  createFakeNetwork,
  createFakeNode,
  type FakeNetwork,
  type FakeNode,
  type FakeVote,
  nodeDefects,
} from "../../src/testing/index.js";
import { collect } from "../support/page-source.js";
import { hex, votesAt } from "../support/records.js";
import { runs } from "../support/runs.js";
import { clamped } from "../support/worlds/faults.js";

const options = { defects: nodeDefects, rateLimit: false } as const;
const clientOf = ({ fetch }: Pick<FakeNode | FakeNetwork, "fetch">, baseUrl = "https://node.example") =>
  createClient({ baseUrl, fetch, pacing: false });

const proposalId = hex(0xfff);
const timeOf = (block: number) => `${1_707_486_400_000_000_000n + BigInt(block) * 1_000_000_000n}` as const;

/** Votes that were last written in these blocks, so many in each. */
const votesOf = (counts: readonly number[]) =>
  votesAt(
    counts.flatMap((count, block) => Array.from({ length: count }, () => BigInt(timeOf(block)))),
    proposalId,
  );

/** The parties of votes by block, in the order of a walk. Votes of one block have no order of their own. */
function byBlock(votes: readonly FakeVote[], walked: readonly Vote[]): string[][] {
  const blockOf = new Map(votes.map(({ partyId, blockTime }) => [partyId, blockTime]));
  const blocks: { time: string | undefined; parties: string[] }[] = [];
  for (const { partyId } of walked) {
    const time = blockOf.get(partyId);
    if (blocks.at(-1)?.time !== time) blocks.push({ time, parties: [] });
    blocks.at(-1)?.parties.push(partyId);
  }
  return blocks.map(({ parties }) => parties.sort());
}

const counts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
const direction = fc.constantFrom("first" as const, "last" as const);

/** All records of a listing, by one of the ways to read it. */
const ways = {
  "a loop": <T>(listing: Listing<T>) => collect(listing),
  "a loop over edges": async <T>(listing: Listing<T>) => (await collect(listing.edges())).map(({ node }) => node),
  "a loop over pages": async <T>(listing: Listing<T>, backward: boolean) =>
    (await collect(listing.pages())).flatMap((page) => (backward ? [...page.nodes].reverse() : page.nodes)),
  "a chain of pages": async <T>(listing: Listing<T>, backward: boolean) => {
    const records: T[] = [];
    for (let page: Page<T> | undefined = await listing; page !== undefined; ) {
      records.push(...(backward ? [...page.nodes].reverse() : page.nodes));
      page = await (backward ? page.previousPage() : page.nextPage());
    }
    return records;
  },
};

describe("a walk over votes on a v0.74 node", () => {
  test.each(Object.entries(ways))(
    "by %s yields each vote once if two neighboring blocks fit a page",
    async (_, read) => {
      const cases = fc.record({
        counts,
        way: direction,
        newestFirst: fc.boolean(),
        more: fc.nat(5),
        isUnstable: fc.boolean(),
      });
      const property = fc.asyncProperty(cases, async ({ counts, way, newestFirst, more, isUnstable }) => {
        const votes = votesOf(counts);
        // Eight nodes that take turns, each with its own order of the votes of a block.
        const nodes = isUnstable ? 8 : 1;
        const network = createFakeNetwork({ votes, nodes, balance: (request) => request % nodes }, options);
        const neighbors = counts.map((count, index) => count + (counts[index + 1] ?? 0));
        const pagination = { [way]: Math.max(...neighbors) + more, newestFirst };
        const listing = clientOf(network, network.url).listVotes({ proposalId, pagination });
        const expected = newestFirst === (way === "first") ? [...votes].reverse() : votes;
        expect(byBlock(votes, await read(listing, way === "last"))).toEqual(byBlock(votes, expected));
      });
      await fc.assert(property, runs(12));
    },
  );

  test.each([1, 2, 4, 400])("of a closed proposal yields its votes, all of one block, %s on a page", async (first) => {
    const count = first < 400 ? 40 : 1000;
    const votes = votesOf([2, 1, count]).map((each, index) => ({
      ...each,
      blockTime: timeOf(index < 3 ? index : 9),
    }));
    for (const newestFirst of [true, false]) {
      const node = createFakeNode({ votes }, options);
      const walked = await clientOf(node).listVotes({ proposalId, pagination: { first, newestFirst } }).toArray();
      expect(walked).toHaveLength(count + 3);
      expect(new Set(walked.map(({ partyId }) => partyId)).size).toBe(count + 3);
    }
  });

  test("ends with an error if a block has more votes than the largest page of the node", async () => {
    const node = createFakeNode({ votes: votesOf([2, 1, 40]) }, options);
    const fetch = (request: Request) => node.fetch(clamped(request, 20));
    const error: unknown = await clientOf({ fetch } as FakeNode)
      .listVotes({ proposalId, pagination: { first: 20 } })
      .toArray()
      .catch((reason: unknown) => reason);
    expect(error).toSatisfy(PaginationError.is);
    expect((error as Error).message).toMatch(
      /^The node's response to listVotes returned cursor ".*" twice; stopped to avoid an infinite loop\. v0\.74 nodes repeat a page if one block has more votes than their largest page/,
    );
    expect(error).toMatchObject({ resume: { pagination: { first: 20 } }, itemsRead: 20 });
  });
});

const changesOf = (counts: readonly number[]) =>
  counts.flatMap((count, block) =>
    Array.from(
      { length: count },
      (_, account): BalanceChange => ({
        timestamp: timeOf(block),
        assetId: hex(account % 3),
        partyId: hex(account),
        marketId: account % 2 === 0 ? "" : hex(7),
        accountType: account % 2 === 0 ? "ACCOUNT_TYPE_GENERAL" : "ACCOUNT_TYPE_MARGIN",
        balance: String(account),
      }),
    ),
  );

const textsOf = (records: readonly object[]) =>
  records.map((record) => JSON.stringify(Object.entries(record).sort())).sort();

describe("a walk over balance changes on a v0.74 node", () => {
  const sizes = fc.integer({ min: 1, max: 20 });

  test.each(Object.entries(ways))("by %s yields each change once, with any page size", async (_, read) => {
    const cases = fc.record({ counts, way: direction, newestFirst: fc.boolean(), size: sizes });
    const property = fc.asyncProperty(cases, async ({ counts, way, newestFirst, size }) => {
      const balances = changesOf(counts);
      const node = createFakeNode({ balances }, options);
      const pagination = { [way]: size, newestFirst };
      const walked = await read(clientOf(node).listBalanceChanges({ pagination }), way === "last");
      expect(textsOf(walked)).toEqual(textsOf(balances));
      const times = walked.map(({ timestamp }) => timestamp);
      expect(times).toEqual(newestFirst === (way === "first") ? [...times].sort().reverse() : [...times].sort());
      // As many requests as pages: the repair costs none. With pages of one record, the record before the first cursor is requested.
      const pages = Math.ceil((balances.length - 1) / size) + (size === 1 ? 2 : 1);
      expect(node.requests.length).toBeLessThanOrEqual(Math.max(1, pages));
    });
    await fc.assert(property, runs(15));
  });

  test("continues after the cursor of any edge and from `page.next`, and yields the rest", async () => {
    const cases = fc.record({ counts, newestFirst: fc.boolean(), size: sizes, pick: fc.nat() });
    const property = fc.asyncProperty(cases, async ({ counts, newestFirst, size, pick }) => {
      const client = clientOf(createFakeNode({ balances: changesOf(counts) }, options));
      const read = (pagination: object) => client.listBalanceChanges({ pagination: { newestFirst, ...pagination } });
      const edges = await collect(read({ first: size }).edges());
      const index = pick % edges.length;
      const cursor = edges[index]?.cursor;
      const nodes = edges.map((edge) => edge.node);
      expect(await read({ first: size, after: cursor }).toArray()).toEqual(nodes.slice(index + 1));
      expect(await read({ last: size, before: cursor }).toArray()).toEqual(nodes.slice(0, index).reverse());
      const page = await read({ first: size });
      expect(page.next === undefined).toBe(!page.pageInfo?.hasNextPage);
      if (page.next === undefined) return;
      const next = JSON.parse(JSON.stringify(page)).next;
      expect(next).toEqual(page.next);
      expect(await client.listBalanceChanges({ pagination: next }).toArray()).toEqual(nodes.slice(page.nodes.length));
    });
    await fc.assert(property, runs(25));
  });
});

test("node signatures are walked without one request more than pages, and the coverage ends with the block of the first page", async () => {
  const node = createFakeNode({ signatures: 900 }, options);
  const [{ id = "" } = {}] = node.records.signatures;
  const { timestamp } = node.block;
  const listing = clientOf(node).listNodeSignatures({ id, pagination: { first: 7, newestFirst: false } });
  const walked: object[] = [];
  for await (const { nodes } of listing.pages()) {
    walked.push(...nodes);
    node.nextBlock({});
  }
  expect(textsOf(walked)).toEqual(textsOf(node.records.signatures.filter((each) => each.id === id)));
  expect(node.requests).toHaveLength(Math.ceil(walked.length / 7));
  expect((await listing.coverage).end).toBe(timestamp);
});
