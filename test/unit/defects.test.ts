import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, createClient, PaginationError, type Vote } from "../../src/index.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../src/testing/index.js";
import { collect } from "../relay.js";

const clientOf = ({ fetch }: FakeNode) => createClient({ baseUrl: "https://node.example", fetch, pacing: false });

/** Votes on one proposal, so many at each of the times. */
function votesAt(counts: readonly number[]): Vote[] {
  return counts.flatMap((count, time) =>
    Array.from({ length: count }, (_, index) => ({
      partyId: `${time}/${index}`,
      proposalId: "p",
      timestamp: `${BigInt(time) * 1000n}` as const,
      value: "VALUE_YES",
      totalGovernanceTokenBalance: "1",
      totalGovernanceTokenWeight: "1",
      totalEquityLikeShareWeight: "0",
    })),
  );
}

const names = (votes: readonly Vote[]) => votes.map(({ partyId }) => partyId);
const page = fc.constantFrom("first" as const, "last" as const);

describe("votes of one block time", () => {
  const counts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });

  test("come once each and all of them where a page has room for two times, on a node whose cursor is a time", async () => {
    const property = fc.asyncProperty(counts, page, fc.boolean(), fc.nat(5), async (counts, way, newestFirst, more) => {
      // A page can begin with the rest of one time; then another fits in full.
      const size = 2 * Math.max(...counts) + more;
      const votes = votesAt(counts);
      const node = createFakeNode({ votes }, { defects: nodeDefects, rateLimit: false });
      const query = { proposalId: "p", pagination: { [way]: size, newestFirst } };
      const walked = names(await clientOf(node).listVotes(query).toArray());
      const expected = names(newestFirst === (way === "first") ? votes.reverse() : votes);
      expect([...walked].sort()).toEqual([...expected].sort());
    });
    await fc.assert(property, { numRuns: 300 });
  });

  test("never come twice and never end in circles, whatever the size of a page", async () => {
    const property = fc.asyncProperty(counts, page, fc.integer({ min: 1, max: 14 }), async (counts, way, size) => {
      const node = createFakeNode({ votes: votesAt(counts) }, { defects: nodeDefects, rateLimit: false });
      const walked: string[] = [];
      const listing = clientOf(node).listVotes({ proposalId: "p", pagination: { [way]: size } });
      try {
        for await (const { partyId } of listing) walked.push(partyId);
        expect(walked).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
      } catch (error) {
        expect(error).toMatchObject({ name: "PaginationError", reason: "repeated-cursor" });
        // One page less the vote at the cursor has room for fewer than all votes of one time.
        expect(Math.max(...counts)).toBeGreaterThanOrEqual(size);
      }
      expect(new Set(walked).size).toBe(walked.length);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test("that are more than fit a page end the walk with what to do, after all that can be had", async () => {
    const node = createFakeNode({ votes: votesAt([3, 40, 3]) }, { defects: nodeDefects });
    const client = clientOf(node);
    const walked: string[] = [];
    const walk = async () => {
      for await (const vote of client.listVotes({ proposalId: "p", pagination: { first: 10 } }))
        walked.push(vote.partyId);
    };
    const error: unknown = await walk().catch((reason: unknown) => reason);
    expect(error).toSatisfy(PaginationError.is);
    expect((error as Error).message).toMatch(
      /^The node's answer to listVotes gave the cursor ".*" before: going on would be a walk in circles\. On v0\.74 nodes this means that more votes share one block time than fit a page\. Ask for a larger page \(`pagination\.first`, at most 5000\)/,
    );
    expect(walked.slice(0, 3)).toEqual(["2/0", "2/1", "2/2"]);
    expect(new Set(walked).size).toBe(walked.length);
    expect(await client.listVotes({ proposalId: "p" }).toArray()).toHaveLength(46);
  });

  test("are bounded by maxItems, also where the last request brings nothing but what comes again", async () => {
    const property = fc.asyncProperty(
      counts,
      fc.integer({ min: 1, max: 40 }),
      fc.nat(5),
      async (counts, maxItems, more) => {
        const size = 2 * Math.max(...counts) + more;
        const node = createFakeNode({ votes: votesAt(counts) }, { defects: nodeDefects, rateLimit: false });
        const listing = clientOf(node).listVotes({ proposalId: "p", pagination: { first: size } }, { maxItems });
        const walked = names(await listing.toArray());
        expect(new Set(walked).size).toBe(
          Math.min(
            maxItems,
            counts.reduce((sum, count) => sum + count, 0),
          ),
        );
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test("are on their pages as they came, and once among the edges", async () => {
    const node = createFakeNode({ votes: votesAt([2, 3, 2]) }, { defects: nodeDefects });
    const listing = clientOf(node).listVotes({ proposalId: "p", pagination: { first: 4 } });
    const pages = await collect(listing.pages());
    expect(pages.map(({ nodes }) => names(nodes).join(" "))).toEqual(["2/0 2/1 1/0 1/1", "1/1 1/2 0/0 0/1"]);
    const backward = clientOf(node).listVotes({ proposalId: "p", pagination: { last: 4 } });
    const backPages = (await collect(backward.pages())).map(({ nodes }) => names(nodes).join(" "));
    expect(backPages).toEqual(["1/1 1/0 0/1 0/0", "2/1 2/0 1/2 1/1"]);
    const edges = await collect(listing.edges());
    expect(edges.map(({ node }) => node.partyId)).toEqual(["2/0", "2/1", "1/0", "1/1", "1/2", "0/0", "0/1"]);
  });

  test("are asked for as far as maxItems leaves, unless that brings nothing new", async () => {
    const sizes = ({ requests }: FakeNode) =>
      requests.map(({ url }) => new URL(url).searchParams.get("pagination.first")).join();
    for (const [defects, expected] of [
      [[], "3,2"],
      // The second page repeats what the first one had, the third is a whole one from the same place.
      [nodeDefects, "3,2,3,1"],
    ] as const) {
      const node = createFakeNode({ votes: votesAt([3, 3]) }, { defects });
      const listing = clientOf(node).listVotes({ proposalId: "p", pagination: { first: 3 } }, { maxItems: 5 });
      expect(new Set(names(await listing.toArray())).size).toBe(5);
      expect(sizes(node)).toBe(expected);
    }
  });

  test("are asked for as far as maxItems leaves, the last one of a party on a proposal alone", async () => {
    const votes = votesAt([1, 1, 1, 1, 1, 1]);
    const again = { ...(votes[5] as Vote), timestamp: "9000" as const };
    const node = createFakeNode({ votes: [...votes, again] });
    const walked = await clientOf(node)
      .listVotes({ proposalId: "p", pagination: { first: 3 } }, { maxItems: 5 })
      .toArray();
    expect(names(walked)).toEqual(["5/0", "4/0", "3/0", "2/0", "1/0"]);
    expect(node.requests.map(({ url }) => new URL(url).searchParams.get("pagination.first"))).toEqual(["3", "2"]);
  });

  test("of one party on several proposals are all kept", async () => {
    const votes = [1, 2, 3].map((proposal) => ({ ...(votesAt([1])[0] as Vote), proposalId: `p${proposal}` }));
    const node = createFakeNode({ votes });
    expect(await clientOf(node).listVotes({ partyId: "0/0" }).toArray()).toHaveLength(3);
  });
});

describe("profiles on a node that answers 500 to every cursor", () => {
  test("come as far as one page goes; then the error says what is known and what to do, and is not retried", async () => {
    const node = createFakeNode({ profiles: 25 }, { defects: nodeDefects });
    const client = clientOf(node);
    const walked: string[] = [];
    const walk = async () => {
      for await (const { partyId } of client.listPartiesProfiles({ pagination: { first: 10 } })) walked.push(partyId);
    };
    const error: unknown = await walk().catch((reason: unknown) => reason);
    expect(error).toSatisfy(ApiError.is);
    expect(error).toMatchObject({ status: 500, attempts: 1, pagesRead: 1, itemsRead: 10, resume: { first: 10 } });
    expect((error as Error).message).toContain(
      "v0.74 nodes answer so to every cursor of this list, so that its first page alone can be had: ask for a larger one " +
        "(`pagination.first`, at most 5000), from the other end (`newestFirst: false`), or for `parties` by name",
    );
    expect(walked).toHaveLength(10);
    expect(node.requests).toHaveLength(2);

    // All three do.
    expect(await client.listPartiesProfiles().toArray()).toHaveLength(25);
    const other = await client.listPartiesProfiles({ pagination: { first: 10, newestFirst: false } });
    expect(other.nodes.map(({ partyId }) => partyId).filter((id) => walked.includes(id))).toEqual([]);
    const [one = ""] = node.records.profiles.map(({ partyId }) => partyId).filter((id) => !walked.includes(id));
    expect((await client.listPartiesProfiles({ parties: [one] })).nodes).toHaveLength(1);
  });

  test("are retried where a first page fails", async () => {
    const node = createFakeNode({ profiles: 5 }, { faults: [{ name: "status", status: 500, request: 1 }] });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch, retry: { baseDelay: 1 } });
    expect(await client.listPartiesProfiles().toArray()).toHaveLength(5);
    expect(node.requests).toHaveLength(2);
  });
});

test("node signatures are walked whole on a node with all defects", async () => {
  const node = createFakeNode({ signatures: 900 }, { defects: nodeDefects });
  const [{ id = "" } = {}] = node.records.signatures;
  const walked = await clientOf(node)
    .listNodeSignatures({ id, pagination: { first: 7 } })
    .toArray();
  expect(walked).toHaveLength(300);
  expect(new Set(walked)).toEqual(new Set(node.records.signatures.filter((each) => each.id === id)));
});
