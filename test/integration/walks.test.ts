import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BalanceChange,
  createClient,
  type Page,
  PaginationError,
  type VegaError,
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
import { inOtherZone } from "../support/node-variants.js";
import { collect, readUntilError } from "../support/page-source.js";
import { rejectionOf } from "../support/recorder.js";
import { changeAt, hex, votesAt } from "../support/records.js";
import { runs } from "../support/runs.js";
import { clamped } from "../support/worlds/faults.js";

const options = { defects: nodeDefects, rateLimit: false } as const;
const clientOf = ({ fetch }: Pick<FakeNode | FakeNetwork, "fetch">, baseUrl = "https://node.example") =>
  createClient({ baseUrl, fetch, pacing: false });

const proposalId = hex(0xfff);
const timeOf = (block: number) => `${1_707_486_400_000_000_000n + BigInt(block) * 1_000_000_000n}` as const;

/** Votes that were last written in these blocks, with the number in each. */
const votesOf = (counts: readonly number[]) => {
  const times = counts.flatMap((count, block) => Array<bigint>(count).fill(BigInt(timeOf(block))));
  return votesAt(times, proposalId);
};

const counts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
describe("a walk over votes on a v0.74 node", () => {
  test("ends with an error if a block has more votes than the largest page of the node", async () => {
    const node = createFakeNode({ votes: votesOf([2, 1, 40]) }, options);
    const fetch = (request: Request) => node.fetch(clamped(request, 20));
    const votes = clientOf({ fetch } as FakeNode).listVotes({ proposalId, pagination: { first: 20 } });
    const error = await rejectionOf(votes.toArray());
    expect(error).toSatisfy(PaginationError.is);
    expect((error as Error).message).toMatch(
      /^The node's response to listVotes returned cursor ".*" twice; stopped to avoid an infinite loop\. v0\.74 nodes repeat a page if one block has more votes than their largest page/,
    );
    expect(error).toMatchObject({ resume: { pagination: { first: 20 } }, itemsRead: 20 });
  });

  test("continues if the two votes before a page's last one are cast again, and earlier pages do not fit one response", async () => {
    const votes = votesOf(Array<number>(250).fill(1));
    const node = createFakeNode({ votes }, options);
    const client = clientOf({ fetch: (request: Request) => node.fetch(clamped(request, 100)) } as FakeNode);
    const first = await client.listVotes({ proposalId, pagination: { first: 100, newestFirst: false } });
    const second = await first.nextPage();
    const known = [...first.nodes, ...(second?.nodes ?? [])];
    const again = votes.slice(known.length - 3, known.length - 1);
    node.nextBlock({ votes: again.map(({ blockTime: _, ...vote }) => vote) });
    node.nextBlock();
    const third = await second?.nextPage();
    const parties = votes.slice(known.length).map(({ partyId }) => partyId);
    expect(third?.nodes.map(({ partyId }) => partyId)).toEqual(parties);
  });

  const up = { first: 12, newestFirst: false };
  type Place = (page: Page<Vote>) => object | undefined;
  test.each<[cursor: string, counts: number[], most: number, pagination: object, place: Place, castAgain?: true]>([
    ["`page.next` of the one before, and votes are cast again", [4], 2, { first: 20 }, ({ next }) => next, true],
    ["`page.previous` of the one after", [3, 12, 4], 8, { last: 12, newestFirst: false }, ({ previous }) => previous],
    ["the node's own cursor", [4, 2, 6], 6, up, ({ pageInfo }) => ({ ...up, after: pageInfo?.endCursor })],
  ])("ends with the same error if each page is read with %s", async (_, counts, most, first, place, castAgain) => {
    const votes = votesOf(counts);
    const node = createFakeNode({ votes }, options);
    const client = clientOf({ fetch: (request: Request) => node.fetch(clamped(request, most)) } as FakeNode);
    const read = async () => {
      let pagination: object | undefined = first;
      for (let pages = 0; pagination; pages++) {
        expect(pages).toBeLessThan(9);
        const page: Page<Vote> = await client.listVotes({ proposalId, pagination });
        pagination = JSON.parse(JSON.stringify({ at: place(page) })).at;
        if (castAgain && pages === 0) node.nextBlock({ votes: votes.map(({ blockTime: _, ...vote }) => vote) });
      }
    };
    await expect(read()).rejects.toMatchObject({ reason: "repeated-cursor" });
  });
});

test.each([1, 2])("a loop over votes from a node's own cursor misses none behind %i nodes", async (count) => {
  for (const counts of [[3, 2, 12, 3, 9], [25], [2, 5, 60, 9]])
    for (const newestFirst of [true, false])
      for (const first of [3, 5, 8]) {
        const votes = votesOf(counts);
        const { nodes } = createFakeNetwork({ nodes: count, votes }, options);
        let sent = 0;
        const fetch = (request: Request) => (nodes[sent++ % count] as FakeNode).fetch(request);
        const client = clientOf({ fetch } as FakeNode);
        const page = await client.listVotes({ proposalId, pagination: { first, newestFirst } });
        const pagination = { first, newestFirst, after: page.pageInfo?.endCursor };
        const rest = await client.listVotes({ proposalId, pagination }).toArray();
        const parties = new Set([...page.nodes, ...rest].map(({ partyId }) => partyId));
        expect([parties.size, new Set(rest.map(({ partyId }) => partyId)).size]).toEqual([votes.length, rest.length]);
      }
});

const full = ["1 1 1 1", "2 2 2 2", "3 3 3", "1 4 2"];
test.each(full)("pages by a node's cursors lead to the end, although blocks of %s votes fill them", async (blocks) => {
  const votes = votesOf(blocks.split(" ").map(Number));
  const client = clientOf(createFakeNode({ votes }, options));
  for (const newestFirst of [true, false])
    for (const first of [1, 2, 3]) {
      const parties = new Set<string>();
      let after: string | undefined;
      let count = 0;
      for (let hasMore = true; hasMore; count++) {
        const { nodes, pageInfo } = await client.listVotes({ proposalId, pagination: { first, newestFirst, after } });
        for (const { partyId } of nodes) parties.add(partyId);
        [after, hasMore] = [pageInfo?.endCursor, pageInfo?.hasNextPage ?? false];
        expect(count).toBeLessThan(9);
      }
      expect(parties.size).toBe(votes.length);
    }
});

test.each([true, false])("votes after an error come without one twice, newest first: %s", async (newestFirst) => {
  const votes = votesOf([3, 2, 30, 4]);
  for (let failing = 2; failing < 9; failing++) {
    // The nodes behind one address sort the votes of a block in different ways.
    const { nodes } = createFakeNetwork({ nodes: 2, votes }, options);
    let sent = 0;
    const fetch = async (request: Request) =>
      ++sent === failing ? new Response("", { status: 503 }) : (nodes[sent % 2] as FakeNode).fetch(request);
    const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false, retry: false });
    const read: Vote[] = [];
    for (let pagination: object | undefined = { first: 7, newestFirst }; pagination; ) {
      const loop: AsyncIterable<Vote> = client.listVotes({ proposalId, pagination }, { readAhead: false });
      const { records, error } = await readUntilError(loop);
      read.push(...records);
      pagination = (error as VegaError | undefined)?.resume?.pagination;
    }
    expect(read.map(({ partyId }) => partyId).sort()).toEqual(votes.map(({ partyId }) => partyId).sort());
  }
});

const changesOf = (counts: readonly number[]) => {
  const ofAccount = (account: number) =>
    account % 2 === 0 ? {} : { marketId: hex(7), accountType: "ACCOUNT_TYPE_MARGIN" as const };
  return counts.flatMap((count, block) =>
    Array.from({ length: count }, (_, account) =>
      changeAt(BigInt(timeOf(block)), { assetId: hex(account % 3), partyId: hex(account), ...ofAccount(account) }),
    ),
  );
};

test("no page of a v0.74 node is longer than requested, and its `pageInfo` has the cursors of its first and last record", async () => {
  const cases = fc.record({ counts, newestFirst: fc.boolean(), size: fc.integer({ min: 1, max: 20 }) });
  const property = fc.asyncProperty(cases, async ({ counts, newestFirst, size }) => {
    const client = clientOf(createFakeNode({ votes: votesOf(counts), balances: changesOf(counts) }, options));
    const check = ({ edges, pageInfo }: Page<object>) => {
      expect(edges.length).toBeLessThanOrEqual(size);
      expect(pageInfo).toMatchObject({ startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor });
    };
    const lists = [
      (pagination: object) => client.listVotes({ proposalId, pagination }),
      (pagination: object) => client.listBalanceChanges({ pagination }),
    ];
    for (const list of lists) {
      const first = { first: size, newestFirst };
      for await (const page of list(first).pages()) check(page);
      for (let pagination: object | undefined = first; pagination; ) {
        const page: Page<object> = await list(pagination);
        check(page);
        pagination = page.next;
      }
    }
  });
  await fc.assert(property, runs(50));
});

const textsOf = (records: readonly object[]) =>
  records.map((record) => JSON.stringify(Object.entries(record).sort())).sort();

describe("a walk over balance changes on a v0.74 node", () => {
  const sizes = fc.integer({ min: 1, max: 20 });

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
      const listing = client.listBalanceChanges({ pagination: next });
      const rest = await listing.toArray();
      expect(rest).toEqual(nodes.slice(page.nodes.length));
      const { start, end = 0n } = await listing.coverage;
      const isCovered = ({ timestamp }: BalanceChange) => BigInt(timestamp) >= start && BigInt(timestamp) < end;
      expect(rest).toEqual(expect.arrayContaining(nodes.filter(isCovered)));
    });
    await fc.assert(property, runs(25));
  });

  test("ends with an error after a cursor of the node with an account type of a newer version: records would be lost", async () => {
    const client = clientOf(createFakeNode({ balances: changesOf([3, 3, 3]) }, options));
    const { edges } = await client.listBalanceChanges({ pagination: { first: 2 } });
    const after = btoa(JSON.stringify({ ...JSON.parse(atob(edges.at(-1)?.cursor ?? "")), Type: 99 }));
    const error = await rejectionOf(client.listBalanceChanges({ pagination: { after } }).toArray());
    expect(error).toMatchObject({ name: "PaginationError", reason: "gap", resume: { pagination: { after } } });
  });
});

describe("the coverage of a loop over votes on a v0.74 node", () => {
  const cases = fc.record({
    counts,
    newestFirst: fc.boolean(),
    sizeName: fc.constantFrom("first", "last"),
    size: fc.integer({ min: 1, max: 20 }),
    isContinued: fc.boolean(),
    yielded: fc.integer({ min: 1, max: 40 }),
    end: fc.constantFrom("break", "maxItems"),
  });

  test("has the records that were yielded before it was left, or ended with `maxItems`, and no others", async () => {
    const property = fc.asyncProperty(cases, async ({ counts, newestFirst, sizeName, size, ...settings }) => {
      const { isContinued, yielded, end } = settings;
      const votes = votesOf(counts);
      const written = new Map(votes.map(({ partyId, blockTime }) => [partyId, BigInt(blockTime ?? 0)]));
      const client = clientOf(createFakeNode({ votes }, options));
      const timeIn = ({ partyId }: Vote) => written.get(partyId) ?? 0n;
      const list = (pagination: object, settings = {}) => client.listVotes({ proposalId, pagination }, settings);
      const { nodes: records } = await list({ first: 5000, newestFirst });
      const page = await list({ [sizeName]: size, newestFirst });
      const next = sizeName === "first" ? page.next : page.previous;
      const pagination = isContinued && next ? JSON.parse(JSON.stringify(next)) : { [sizeName]: size, newestFirst };
      const listing = list(pagination, end === "maxItems" ? { maxItems: yielded } : {});
      const read: Vote[] = [];
      for await (const record of listing) if (read.push(record) === yielded && end === "break") break;
      const coverage = await listing.coverage;
      const [last] = read.slice(-1).map(timeIn);
      const isCovered = (record: Vote) => timeIn(record) >= coverage.start && timeIn(record) < (coverage.end ?? 0n);
      expect(textsOf(read)).toEqual(expect.arrayContaining(textsOf(records.filter(isCovered))));
      if (last === undefined || coverage.end === undefined) return;
      const isDown = newestFirst === (sizeName === "first");
      // More of the last block can follow.
      if (isDown) expect(coverage.start).toBeLessThanOrEqual(last + 1n);
      else expect(coverage.end).toBeGreaterThanOrEqual(last);
      const others = isContinued ? [] : read.filter((record) => timeIn(record) !== last);
      expect(others.filter(isCovered)).toEqual(others);
    });
    await fc.assert(property, runs(40));
  });
});

test("a loop over pages of votes, newest first, has no page without votes at its end", async () => {
  const client = clientOf(createFakeNode({ votes: votesOf([1, 1, 1, 1, 1]) }, options));
  const sizes: number[] = [];
  for await (const { nodes } of client.listVotes({ proposalId, pagination: { first: 3 } }).pages())
    sizes.push(nodes.length);
  expect(sizes).toEqual([3, 2]);
});

type Pages = (pagination: object) => PromiseLike<Page<object>>;

const lists: Record<string, (counts: readonly number[]) => Pages> = {
  votes: (counts) => {
    const client = clientOf(createFakeNode({ votes: votesOf(counts) }, options));
    return (pagination) => client.listVotes({ proposalId, pagination });
  },
  "balance changes": (counts) => {
    const client = clientOf(createFakeNode({ balances: changesOf(counts) }, options));
    return (pagination) => client.listBalanceChanges({ pagination });
  },
  signatures: (counts) => {
    const node = createFakeNode({ signatures: counts.reduce((sum, count) => sum + count) * 7 }, options);
    const [{ id = "" } = {}] = node.records.signatures;
    return (pagination) => clientOf(node).listNodeSignatures({ id, pagination });
  },
};

test.each(Object.entries(lists))(
  "the pages before any page of %s have every record before it, with `previousPage` and with `previous`",
  async (_, connect) => {
    const sizes = fc.integer({ min: 1, max: 6 });
    const cases = fc.record({ counts, newestFirst: fc.boolean(), size: sizes, steps: fc.nat(12) });
    const property = fc.asyncProperty(cases, async ({ counts, newestFirst, size, steps }) => {
      const read = connect(counts);
      let page = await read({ first: size, newestFirst });
      const before: object[] = [];
      for (let step = 0; step < steps; step++) {
        const next = await page.nextPage();
        if (next === undefined) break;
        before.push(...page.nodes);
        page = next;
      }
      const back: object[] = [];
      for (let each = await page.previousPage(); each; each = await each.previousPage()) back.unshift(...each.nodes);
      const again: object[] = [];
      for (let each = page, pages = 0; each.previous; again.push(...each.nodes)) {
        each = await read(each.previous);
        expect(pages++).toBeLessThan(60);
      }
      const [wanted, ofPage] = [textsOf(before), textsOf(page.nodes)];
      expect(textsOf(back)).toEqual(wanted);
      // Another process can get records of the page again.
      expect([...textsOf(again), ...ofPage]).toEqual(expect.arrayContaining(wanted));
    });
    await fc.assert(property, runs(25));
  },
);

test("a chain of `page.next` has every vote of its first page's block and ends, whatever order a block has in each response", async () => {
  const blocks = fc.array(fc.constantFrom(1, 2, 5, 12, 30), { minLength: 1, maxLength: 6 });
  const cases = fc.record({
    counts: blocks,
    // How many votes are cast after each page.
    cast: fc.array(fc.constantFrom(0, 1, 5, 30), { maxLength: 4 }),
    newestFirst: fc.boolean(),
    size: fc.constantFrom(1, 2, 3, 5, 10, 20),
    picks: fc.infiniteStream(fc.nat(4)),
  });
  const property = fc.asyncProperty(cases, async ({ counts, cast, newestFirst, size, picks }) => {
    const later = cast.map((count, page) =>
      votesOf([...counts, ...cast.slice(0, page), count]).slice(-count || Infinity),
    );
    const votes = votesOf(counts);
    // As PostgreSQL, which sorts ties in another way for another page size.
    const network = createFakeNetwork({ nodes: 5, votes }, options);
    const { nodes } = network;
    const fetch = (request: Request) => (nodes[picks.next().value ?? 0] as FakeNode).fetch(request);
    const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
    const seen = new Set<string>();
    let pagination: object | undefined = { first: size, newestFirst };
    for (let pages = 0; pagination; pages++) {
      const page: Page<Vote> = await client.listVotes({ proposalId, pagination });
      for (const { partyId } of page.nodes) seen.add(partyId);
      pagination = JSON.parse(JSON.stringify(page)).next;
      if (cast[pages]) network.nextBlock({ votes: later[pages] });
      expect(pages).toBeLessThan(4 * (votes.length + 200));
    }
    for (const { partyId } of votes) expect(seen).toContain(partyId);
  });
  await fc.assert(property, runs(50));
});

test.each([[[60, 60, 60, 60]], [[7, 150, 3, 150]]])(
  "a walk over blocks of %j votes takes no more requests if two nodes are in different time zones",
  async (counts) => {
    const { fetch, records } = createFakeNode({ votes: votesOf(counts) }, options);
    const readFrom = async (nodes: readonly FakeNode["fetch"][]) => {
      let requests = 0;
      const client = clientOf({ fetch: (request) => (nodes[requests++ % nodes.length] ?? fetch)(request) });
      for (const newestFirst of [true, false]) {
        const walk = client.listVotes({ proposalId, pagination: { first: 20, newestFirst } });
        expect(textsOf(await collect(walk))).toEqual(textsOf(records.votes));
      }
      return requests;
    };
    expect(await readFrom([fetch, inOtherZone(fetch)])).toBe(await readFrom([fetch]));
  },
);

describe.each(Object.entries(lists))("on a node whose %s are of one block", (_, connect) => {
  test("each cursor of a page leads to the next one, and a walk after an edge yields the rest", async () => {
    const read = connect([140]);
    const whole = await read({ first: 200 });
    const nodes: object[] = [];
    for (let after: string | undefined; ; ) {
      const page = await read({ first: 50, ...(after && { after }) });
      expect(page.nodes.length).toBeGreaterThan(0);
      nodes.push(...page.nodes);
      after = page.pageInfo?.endCursor;
      if (!page.pageInfo?.hasNextPage) break;
    }
    expect(textsOf(nodes)).toEqual(expect.arrayContaining(textsOf(whole.nodes)));
    // The known record is the last one, or the last but one, for which a page has room.
    for (const index of [47, 48, 49, 50, 67, 68, 69, 70]) {
      const rest: object[] = [];
      const first = await read({ first: 20, after: whole.edges[index]?.cursor });
      for (let page: Page<object> | undefined = first; page; page = await page.nextPage()) rest.push(...page.nodes);
      expect(textsOf(rest)).toEqual(expect.arrayContaining(textsOf(whole.nodes.slice(index + 1))));
    }
  });
});

test("a chain of `page.next` has whole pages, although the block before a cursor has twice as many votes as they have", async () => {
  const client = clientOf(createFakeNode({ votes: votesOf([99, 99, 99, 99]) }, options));
  const sizes: number[] = [];
  for (let pagination: object | undefined = { first: 50 }; pagination && sizes.length < 20; ) {
    const page: Page<Vote> = await client.listVotes({ proposalId, pagination });
    sizes.push(page.nodes.length);
    pagination = page.next;
  }
  expect(sizes).toHaveLength(8);
});

test("the coverage of the newest votes has no end if one is cast again meanwhile, and the last response is not later", async () => {
  const [first, ...others] = votesOf([1, 2, 2]) as [FakeVote, ...FakeVote[]];
  const nodeAt = (block: number, votes: readonly FakeVote[]) =>
    createFakeNode({ votes, block: { height: 5n, timestamp: BigInt(timeOf(block)) } }, options);
  const early = nodeAt(2, [first, ...others.slice(0, 2)]);
  const later = nodeAt(3, [first, ...others]);
  // It has written the current block.
  const latest = nodeAt(3, [...others, { ...first, blockTime: timeOf(3) }]);
  const nodes = [early, later, latest];
  const client = clientOf({ fetch: (request) => (nodes.shift() ?? later).fetch(request) });
  const listing = client.listVotes({ proposalId, pagination: { last: 2, newestFirst: false } });
  const parties = (await collect(listing)).map(({ partyId }) => partyId);
  expect(parties).toEqual(others.map(({ partyId }) => partyId));
  expect((await listing.coverage).end).toBe(undefined);
});

describe("pages of votes, newest first, of which the oldest one is cast again after the first page", () => {
  const setting = (counts: readonly number[]) => {
    const [oldest, ...others] = votesOf(counts) as [FakeVote, ...FakeVote[]];
    const node = createFakeNode({ votes: [oldest, ...others] }, options);
    const { blockTime: _, ...again } = oldest;
    const castAgain = () => {
      node.nextBlock({ votes: [again] });
      node.nextBlock();
    };
    return { node, castAgain, parties: [...others.reverse(), oldest].map(({ partyId }) => partyId) };
  };
  const partiesOf = (page: Page<Vote> | undefined) => page?.nodes.map(({ partyId }) => partyId) ?? [];

  test("are followed by a page with this vote: a chain of nextPage() ends like a loop", async () => {
    const { node, castAgain, parties } = setting([1, 1, 1, 1, 1]);
    let page: Page<Vote> | undefined = await clientOf(node).listVotes({ proposalId, pagination: { first: 3 } });
    castAgain();
    const read: string[] = [];
    for (; page; page = await page.nextPage()) read.push(...partiesOf(page));
    expect(read).toEqual(parties);
  });

  test("are followed by this vote if another page has failed, and the rest fits one page", async () => {
    const { node, castAgain, parties } = setting([1, 1, 1, 1, 1]);
    node.configure({ faults: [{ name: "status", status: 400, request: 2 }] });
    const read = (pagination: object) =>
      readUntilError(clientOf(node).listVotes({ proposalId, pagination }, { readAhead: false }));
    const { records, error } = await read({ first: 3 });
    castAgain();
    const { pagination } = (error as VegaError).resume as { pagination: object };
    const rest = await read({ ...pagination, first: 9 });
    expect([...records, ...rest.records].map(({ partyId }) => partyId)).toEqual(parties);
  });

  test.each([5, 6, 7, 8])(
    "come again only if a second reading had yielded them, after an error of request %i",
    async (failing) => {
      const votes = votesOf(Array<number>(60).fill(1));
      const node = createFakeNode({ votes }, options);
      let sent = 0;
      const fetch = async (request: Request) => {
        if (++sent === failing) return new Response("", { status: 400 });
        const response = await node.fetch(request);
        const cast = Array.from({ length: sent > 4 ? 0 : 8 }, (_, index) => hex(1000 + 8 * sent + index));
        for (const partyId of cast) node.nextBlock({ votes: [{ proposalId, partyId }] });
        return response;
      };
      const client = clientOf({ fetch } as FakeNode);
      const read = async (pagination: object = {}) => {
        const loop = client.listVotes({ proposalId, pagination }, { readAhead: false });
        const { records, error } = await readUntilError(loop);
        return { parties: records.map(({ partyId }) => partyId), resume: (error as VegaError | undefined)?.resume };
      };
      const { parties, resume } = await read({ first: 10 });
      const rest = await read(resume?.pagination);
      expect(new Set([...parties, ...rest.parties]).size).toBe(92);
      const again = rest.parties.filter((party) => parties.includes(party));
      expect(again.length).toBeLessThanOrEqual(10 * (failing - 5));
    },
  );

  test("end although many votes are written again in the block of the first page, and no other block follows", async () => {
    const votes = votesOf(Array<number>(120).fill(1));
    const block = { height: 5n, timestamp: BigInt(timeOf(120)) };
    const before = createFakeNode({ votes, block }, options);
    const again = votes.slice(80).map((vote) => ({ ...vote, blockTime: timeOf(120) }));
    const after = createFakeNode({ votes: [...votes.slice(0, 80), ...again], block }, options);
    let sent = 0;
    const fetch = (request: Request) => {
      expect(++sent).toBeLessThan(50);
      return (sent === 1 ? before : after).fetch(clamped(request, 60));
    };
    const read = await collect(clientOf({ fetch } as FakeNode).listVotes({ proposalId, pagination: { first: 10 } }));
    expect(new Set(read.map(({ partyId }) => partyId)).size).toBe(120);
  });

  test("end although more votes are cast during each request than a page has", async () => {
    const votes = votesOf(Array<number>(20).fill(1));
    const node = createFakeNode({ votes }, options);
    let sent = 0;
    const fetch = (request: Request) => {
      expect(++sent).toBeLessThan(100);
      const cast = [sent, sent + 7].map((at) => votes[at % votes.length] as FakeVote);
      node.nextBlock({ votes: cast.map(({ blockTime: _, ...vote }) => vote) });
      return node.fetch(request);
    };
    const read = await collect(clientOf({ fetch } as FakeNode).listVotes({ proposalId, pagination: { first: 1 } }));
    expect(new Set(read.map(({ partyId }) => partyId)).size).toBe(20);
  });

  test("have the last votes before a page without any", async () => {
    const { node, castAgain } = setting([1, 1, 1, 1]);
    const first = await clientOf(node).listVotes({ proposalId, pagination: { first: 3 } });
    castAgain();
    const second = await first.nextPage();
    expect(partiesOf(second)).toEqual([]);
    expect(second?.previous).toEqual({ last: 3 });
    expect(partiesOf(await second?.previousPage())).toEqual(partiesOf(first));
  });
});

test.each([
  { value: "VALUE_NO" },
  { totalGovernanceTokenBalance: "2" },
  { totalGovernanceTokenWeight: "0.5" },
  { totalEquityLikeShareWeight: "0.5" },
  { elsPerMarket: [{ marketId: hex(1), els: "0.5" }] },
])("votes that a loop has yielded come again if %o is written at the close of their proposal", async (members) => {
  const votes = votesOf([1, 1, 1]);
  const node = createFakeNode({ votes }, { ...options, version: "v0.79" });
  const last = new Map<string, Vote>();
  const loop = clientOf(node).listVotes({ proposalId, pagination: { first: 2, newestFirst: false } });
  for await (const { nodes } of loop.pages()) {
    if (last.size === 0) {
      node.nextBlock({ votes: votes.map(({ blockTime: _, ...vote }) => ({ ...vote, ...members })) });
      node.nextBlock();
      node.nextBlock();
    }
    for (const vote of nodes) last.set(vote.partyId, vote);
  }
  expect(last.size).toBe(3);
  for (const vote of last.values()) expect(vote).toMatchObject(members);
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
