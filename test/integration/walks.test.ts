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
import { createFakeNode, type FakeNode, nodeDefects } from "../../src/testing/index.js";
import { collect } from "../support/page-source.js";
import { runs } from "../support/runs.js";
import { createUnstableNode } from "../support/unstable-ties.js";

const clientOf = ({ fetch }: Pick<FakeNode, "fetch">) =>
  createClient({ baseUrl: "https://node.example", fetch, pacing: false });

const hex = (number: number) => number.toString(16).padStart(64, "0");
const proposalId = hex(0xfff);
const timeOf = (block: number) => `${1_707_486_400_000_000_000n + BigInt(block) * 1_000_000_000n}` as const;

interface WrittenVote extends Vote {
  blockTime: `${bigint}`;
}

const keyOf = ({ partyId, timestamp }: Vote) => `${partyId} ${timestamp}`;

const vote = (party: number, block: number, cast = 0): WrittenVote => ({
  partyId: hex(party),
  proposalId,
  timestamp: timeOf(cast),
  blockTime: timeOf(block),
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "1",
  totalEquityLikeShareWeight: "0",
});

/** Votes that were last written in these blocks, so many in each. */
function votesOf(counts: readonly number[]): WrittenVote[] {
  let party = 0;
  return counts.flatMap((count, block) => Array.from({ length: count }, () => vote(party++, block, party % 7)));
}

/** The parties of votes by block, in the order of a walk. Votes of one block have no order of their own. */
function byBlock(votes: readonly WrittenVote[], walked: readonly Vote[]): string[][] {
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
const largestNeighbors = (counts: readonly number[]) =>
  Math.max(...counts.map((count, index) => count + (counts[index + 1] ?? 0)));
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
    "by %s yields each vote once if a page holds any two neighboring blocks",
    async (_, read) => {
      const property = fc.asyncProperty(
        counts,
        direction,
        fc.boolean(),
        fc.nat(5),
        fc.boolean(),
        async (counts, way, newestFirst, more, unstableTies) => {
          const votes = votesOf(counts);
          const node = createUnstableNode({ votes }, unstableTies);
          const pagination = { [way]: largestNeighbors(counts) + more, newestFirst };
          const walked = await read(clientOf(node).listVotes({ proposalId, pagination }), way === "last");
          const expected = newestFirst === (way === "first") ? [...votes].reverse() : votes;
          expect(byBlock(votes, walked)).toEqual(byBlock(votes, expected));
        },
      );
      await fc.assert(property, runs(30));
    },
  );

  test("with smaller pages is complete, or yields what can be reached and ends with an error that says how to continue", async () => {
    const size = fc.integer({ min: 1, max: 12 });
    const property = fc.asyncProperty(
      counts,
      direction,
      size,
      fc.boolean(),
      async (counts, way, size, unstableTies) => {
        const votes = votesOf(counts);
        const node = createUnstableNode({ votes }, unstableTies);
        const client = clientOf(node);
        const walked: Vote[] = [];
        const expected = byBlock(votes, way === "first" ? [...votes].reverse() : votes);
        try {
          for await (const each of client.listVotes({ proposalId, pagination: { [way]: size } })) walked.push(each);
          expect(byBlock(votes, walked)).toEqual(expected);
        } catch (error) {
          expect(error).toMatchObject({ name: "PaginationError", reason: "repeated-cursor" });
          expect(size).toBeLessThan(largestNeighbors(counts));
          const blocks = byBlock(votes, walked);
          // All blocks are complete but the last, of which a page shows as many votes as it can.
          expect(blocks.slice(0, -1)).toEqual(expected.slice(0, blocks.length - 1));
          const { resume } = error as PaginationError;
          const rest = await client.listVotes({ proposalId, pagination: { ...resume, [way]: 5000 } }).toArray();
          expect(new Set([...walked, ...rest].map(({ partyId }) => partyId)).size).toBe(votes.length);
        }
        expect(new Set(walked.map(({ partyId }) => partyId)).size).toBe(walked.length);
      },
    );
    await fc.assert(property, runs(60));
  });

  test("yields once every vote that is not rewritten during the walk", async () => {
    const writes = fc.infiniteStream(fc.array(fc.nat(80), { maxLength: 4 }));
    const property = fc.asyncProperty(
      counts,
      direction,
      fc.boolean(),
      writes,
      async (counts, way, newestFirst, writes) => {
        const votes = votesOf(counts);
        const node = createUnstableNode({ votes });
        const written = new Set<string>();
        let block = counts.length;
        const fetch: FakeNode["fetch"] = async (...args) => {
          const response = await node.fetch(...args);
          const [parties = []] = writes.take(1);
          block += 2;
          for (const party of parties) written.add(hex(party));
          node.nextBlock({ votes: [...new Set(parties)].map((party) => vote(party, block, party % 7)) });
          return response;
        };
        const size = largestNeighbors([...counts, 5, 5]) + 5;
        const listing = clientOf({ fetch }).listVotes(
          { proposalId, pagination: { [way]: size, newestFirst } },
          { maxItems: 500 },
        );
        const walked = await listing.toArray();
        expect(new Set(walked.map(keyOf)).size).toBe(walked.length);
        const untouched = (all: readonly Vote[]) => all.map(({ partyId }) => partyId).filter((id) => !written.has(id));
        expect(untouched(walked).sort()).toEqual(untouched(votes).sort());
      },
    );
    await fc.assert(property, runs(40));
  });

  test("passes blocks that fill a page each, if the node keeps the order of their votes", async () => {
    const votes = votesOf([3, 4, 4]);
    const node = createFakeNode({ votes }, { defects: nodeDefects, rateLimit: false });
    const walked = await clientOf(node)
      .listVotes({ proposalId, pagination: { first: 4 } })
      .toArray();
    expect(byBlock(votes, walked)).toEqual(byBlock(votes, [...votes].reverse()));
  });

  test.each([
    { moved: 1, counts: [5, 4, 1, 1], first: 4 },
    { moved: 2, counts: [5, 4, 1, 1, 1, 1], first: 6 },
  ])(
    "yields every vote of a block if the $moved before it move away between two pages",
    async ({ moved, counts, first }) => {
      // Newest first: single votes, a block of four that the first page cuts, and older votes.
      const votes = votesOf(counts);
      const moving = votes.slice(9, 9 + moved).map((vote) => ({ ...vote, blockTime: timeOf(20) }));
      for (let seed = 1; seed <= 20; seed++) {
        const node = createUnstableNode({ votes, seed });
        const fetch: FakeNode["fetch"] = async (...args) => {
          const response = await node.fetch(...args);
          if (node.requests.length === 1) node.nextBlock({ votes: moving });
          return response;
        };
        const listing = clientOf({ fetch }).listVotes({ proposalId, pagination: { first } });
        const seen = new Set<string>();
        try {
          for await (const { partyId } of listing) seen.add(partyId);
        } catch (error) {
          // The block of five can be larger than a page.
          expect(error).toMatchObject({ reason: "repeated-cursor" });
        }
        expect(votes.slice(5).filter(({ partyId }) => !seen.has(partyId))).toEqual([]);
      }
    },
  );

  test("of a closed proposal ends in three pages of 400 with its 1000 votes", async () => {
    const votes = votesOf([2, 1, 1000]).map((each, index) => ({ ...each, blockTime: timeOf(index < 3 ? index : 9) }));
    const node = createFakeNode({ votes }, { defects: nodeDefects, rateLimit: false });
    const client = clientOf(node);
    expect(await client.listVotes({ proposalId }).toArray()).toHaveLength(1003);
    const walked: Vote[] = [];
    const walk = async () => {
      for await (const each of client.listVotes({ proposalId, pagination: { first: 400 } })) walked.push(each);
    };
    const error: unknown = await walk().catch((reason: unknown) => reason);
    expect(error).toSatisfy(PaginationError.is);
    expect((error as Error).message).toMatch(
      /^The node's response to listVotes returned cursor ".*" twice; stopped to avoid an infinite loop\. v0\.74 nodes repeat a page if more votes share one block than fit on the page\. Request a larger page/,
    );
    // The first page, and the one vote more that a page from the block itself shows.
    expect(walked).toHaveLength(401);
    expect(error).toMatchObject({ resume: { first: 400 }, itemsRead: 401 });
  });
});

const change = (account: number, block: number): BalanceChange => ({
  timestamp: timeOf(block),
  assetId: hex(account % 3),
  partyId: hex(account),
  marketId: account % 2 === 0 ? "" : hex(7),
  accountType: account % 2 === 0 ? "ACCOUNT_TYPE_GENERAL" : "ACCOUNT_TYPE_MARGIN",
  balance: String(account),
});

const changesOf = (counts: readonly number[]) =>
  counts.flatMap((count, block) => Array.from({ length: count }, (_, account) => change(account, block)));

const textOf = (record: object) => JSON.stringify(Object.entries(record).sort());
const textsOf = (records: readonly object[]) => records.map(textOf).sort();

describe("a walk over balance changes on a v0.74 node", () => {
  const sizes = fc.integer({ min: 1, max: 20 });

  test.each(Object.entries(ways))("by %s yields each change once, with any page size", async (_, read) => {
    const property = fc.asyncProperty(
      counts,
      direction,
      fc.boolean(),
      sizes,
      async (counts, way, newestFirst, size) => {
        const balances = changesOf(counts);
        const node = createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false });
        const pagination = { [way]: size, newestFirst };
        const walked = await read(clientOf(node).listBalanceChanges({ pagination }), way === "last");
        expect(textsOf(walked)).toEqual(textsOf(balances));
        const times = walked.map(({ timestamp }) => timestamp);
        expect(times).toEqual(newestFirst === (way === "first") ? [...times].sort().reverse() : [...times].sort());
        // As many requests as pages: the repair costs none. With pages of one record, the record before the first cursor is requested.
        const pages = Math.ceil((balances.length - 1) / size) + (size === 1 ? 2 : 1);
        expect(node.requests.length).toBeLessThanOrEqual(Math.max(1, pages));
      },
    );
    await fc.assert(property, runs(40));
  });

  test("continues after the cursor of any edge and from `page.next`, and yields the rest", async () => {
    const property = fc.asyncProperty(
      counts,
      fc.boolean(),
      sizes,
      fc.nat(),
      async (counts, newestFirst, size, pick) => {
        const node = createFakeNode({ balances: changesOf(counts) }, { defects: nodeDefects, rateLimit: false });
        const client = clientOf(node);
        const edges = await collect(client.listBalanceChanges({ pagination: { first: size, newestFirst } }).edges());
        const index = pick % edges.length;
        const after = edges[index]?.cursor;
        const nodes = edges.map((edge) => edge.node);
        expect(await client.listBalanceChanges({ pagination: { first: size, after, newestFirst } }).toArray()).toEqual(
          nodes.slice(index + 1),
        );
        const before = await client
          .listBalanceChanges({ pagination: { last: size, before: after, newestFirst } })
          .toArray();
        expect(before).toEqual(nodes.slice(0, index).reverse());
        const page = await client.listBalanceChanges({ pagination: { first: size, newestFirst } });
        expect(page.next === undefined).toBe(!page.pageInfo?.hasNextPage);
        if (page.next === undefined) return;
        const next = JSON.parse(JSON.stringify(page)).next;
        expect(next).toEqual(page.next);
        expect(await client.listBalanceChanges({ pagination: next }).toArray()).toEqual(nodes.slice(page.nodes.length));
      },
    );
    await fc.assert(property, runs(40));
  });

  test("yields what the node has below the current block while rows are added", async () => {
    const property = fc.asyncProperty(counts, sizes, fc.boolean(), async (counts, size, newestFirst) => {
      const balances = changesOf(counts);
      const node = createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false });
      let added = 0;
      const fetch: FakeNode["fetch"] = async (...args) => {
        const response = await node.fetch(...args);
        if (added < 30)
          node.nextBlock({
            balances: [change(added++, counts.length + added), change(added++, counts.length + added)],
          });
        return response;
      };
      const walked = await clientOf({ fetch })
        .listBalanceChanges({ pagination: { first: size, newestFirst } })
        .toArray();
      const before = new Set(textsOf(balances));
      expect(textsOf(walked).filter((text) => before.has(text))).toEqual([...before].sort());
      expect(new Set(textsOf(walked)).size).toBe(walked.length);
    });
    await fc.assert(property, runs(30));
  });
});

test("node signatures are walked without one request more than pages", async () => {
  const node = createFakeNode({ signatures: 900 }, { defects: nodeDefects, rateLimit: false });
  const [{ id = "" } = {}] = node.records.signatures;
  const walked = await clientOf(node)
    .listNodeSignatures({ id, pagination: { first: 7 } })
    .toArray();
  expect(textsOf(walked)).toEqual(textsOf(node.records.signatures.filter((each) => each.id === id)));
  expect(node.requests).toHaveLength(Math.ceil(walked.length / 7));
});
