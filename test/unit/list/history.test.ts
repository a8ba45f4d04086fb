import { describe, expect, test } from "vitest";
import type { Expectation } from "../../../src/http/expectation.js";
import { type BalanceChange, type Coverage, createClient, type VegaClient } from "../../../src/index.js";
import { historyOf } from "../../../src/list/history.js";
import type { NodePage, PageRequest } from "../../../src/list/page.js";
import { longestRange, provableRange } from "../../../src/list/ranges.js";
import type { ListReaderOptions } from "../../../src/list/reader.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNetwork, createFakeNode, type FakeNode, nodeDefects } from "../../../src/testing/index.js";
import type { NodeVersion } from "../../../src/testing/versions.js";
import { nanosecondsPerDay } from "../../../src/values/times.js";
import { changeAt, hex } from "../../support/records.js";
import { pageAt, script } from "../../support/scripted-pages.js";
import { shortened } from "../../support/worlds/faults.js";

const hour = 3_600_000_000_000n;
/** The start of the range. Histories begin at any time, so it is the time of no block and of no day. */
const start = 1_707_000_123_456_789_000n;
const end = start + 100n * hour;
const block = { height: 1000n, timestamp: end + hour };

type Query = NonNullable<Parameters<VegaClient["scanBalanceChanges"]>[0]>;
type Filter = NonNullable<Query["filter"]>;

/** A balance change of a party, so many hours after the start of the range. */
const change = (party: number, hours: number, members: Partial<BalanceChange> = {}) =>
  changeAt(start + BigInt(Math.round(hours * 3600)) * 1_000_000_000n, { partyId: hex(party), ...members });
const several = (count: number, changeAt: (index: number) => BalanceChange) =>
  Array.from({ length: count }, (_, index) => changeAt(index));

/** One address of nodes that respond in turns, each with the records from a time on: hours after the start of the range. */
function connect(balances: readonly BalanceChange[], keeps = [-1000], first = 0, version: NodeVersion = "v0.74") {
  const nodes = keeps.map((hours) => {
    const history = start + BigInt(hours) * hour;
    return createFakeNode({ balances, block }, { version, history, defects: nodeDefects, rateLimit: false });
  });
  let requests = 0;
  const fetch = (request: Request) => {
    const node = nodes[(first + requests++) % nodes.length] as FakeNode;
    return node.fetch(request);
  };
  return { fetch, count: () => requests };
}

type Node = { fetch(request: Request): Promise<Response> };
const clientOf = ({ fetch }: Node) => createClient({ baseUrl: "https://node.example", fetch, pacing: false });
type Reading = AsyncIterable<BalanceChange> & { coverage: Promise<Coverage> };
type Reader = (client: VegaClient, query: Query) => Reading;

const scanned: Reader = (client, query) => client.scanBalanceChanges(query);
const readers: Record<string, Reader> = {
  "a scan": scanned,
  "a scan, newest first": (client, query) => client.scanBalanceChanges(query, { order: "newest-first" }),
  "a loop": (client, query) => client.listBalanceChanges({ ...query, pagination: { newestFirst: false } }),
  "a loop, newest first": (client, query) => client.listBalanceChanges(query),
};

const range = { startTimestamp: start, endTimestamp: end };
async function read({ fetch }: Node, filter: Filter, reader = scanned, dateRange: Query["dateRange"] = range) {
  const reading = reader(clientOf({ fetch }), { filter, dateRange });
  let records = 0;
  for await (const _ of reading) records++;
  const { start: from } = await reading.coverage;
  return { records, from };
}

const party = { partyIds: [hex(1)] };
/** The first record of the party in the range. */
const own = change(1, 10);
const ofSeven: Filter = { marketIds: [hex(7)] };
const ofMarket = (number: number) => ({ marketId: hex(number) });
const margin = { accountType: "ACCOUNT_TYPE_MARGIN" } as const;
/** The filter of the party and its type. Others have records of another type. */
const both: Filter = { ...party, accountTypes: ["ACCOUNT_TYPE_GENERAL"] };
const ofMargin = (other: number) => change(other, -other, margin);

describe("a start is proved", () => {
  test.each(Object.entries(readers))("without a request in an empty range: %s", async (_, reader) => {
    for (const [startTimestamp, endTimestamp] of [
      [start, start],
      [start - 500n, start],
      [undefined, 0n],
    ] as const) {
      const node = connect([change(1, -2), change(1, 0), change(1, 2)]);
      const reading = reader(clientOf(node), { dateRange: { startTimestamp, endTimestamp } });
      for await (const record of reading) expect(record).toBeUndefined();
      expect(await reading.coverage).toMatchObject({ start: startTimestamp ?? 0n, end: endTimestamp });
      expect(node.count()).toBeLessThan(2);
    }
  });

  test.each(Object.entries(readers))("on a v0.79 node, which refuses an older account type: %s", async (_, reader) => {
    const balances = [change(2, -9, { accountType: "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" }), own];
    const node = createFakeNode({ balances, block }, { version: "v0.79", rateLimit: false });
    expect(await read(node, { accountTypes: ["ACCOUNT_TYPE_GENERAL"] }, reader)).toMatchObject({ records: 1 });
  });

  test.each<[what: string, requests: number, filter: Filter, records: BalanceChange[]]>([
    ["by a record at the start", 2, party, [change(1, 0)]],
    ["by an earlier record of the list", 4, party, [change(1, -900), own]],
    ["by an earlier record of another party", 5, party, [change(2, -900), own]],
    ["by a record of another party at the start", 5, party, [change(2, 0), own]],
    ["by one of another market", 5, ofSeven, [change(2, -900, ofMarket(8)), change(2, -1), change(1, 10, ofMarket(7))]],
    ["by one of another type", 5, { accountTypes: [margin.accountType] }, [change(2, -900), change(1, 10, margin)]],
    ["by one that satisfies the rest of the filter", 5, both, [...[2, 4].map(ofMargin), change(3, -9), own]],
    ["by one of another type if no other party has this one", 6, both, [...[2, 1].map(ofMargin), own]],
  ])("%s, in %i requests", async (_, requests, filter, records) => {
    const node = connect(records);
    expect(await read(node, filter)).toEqual({ records: 1, from: start });
    expect(node.count()).toBe(requests);
    for (const [name, reader] of Object.entries(readers))
      expect(await read(connect(records), filter, reader), name).toEqual({ records: 1, from: start });
  });

  const at = (party: number, ...hours: number[]) => hours.map((each) => change(party, each));
  const quiet = [...several(50, (index) => change(2, -1 - index)), change(3, -60)];
  const near = [...at(2, -1), ...at(3, -3, -2)];
  const nearest = [...at(3, -60), ...at(4, -50, -51), ...at(2, -1, -2, -3)];
  const busy = several(5000, (index) => change(2, index / 600));
  const busier = several(10_000, (index) => change(3 + (index % 2), (1 + index) / 1200));
  test.each([
    ["by the party with the fewest records", 5, [...quiet, ...busy]],
    ["by another party if the first one has more than a page", 6, [...near, ...busy]],
    ["by the nearest party if the one with the fewest records has more than a page", 6, [...nearest, ...busier]],
  ])("%s", async (_, requests, others) => {
    const node = connect([...others, own]);
    expect(await read(node, party)).toEqual({ records: 1, from: start });
    expect(node.count()).toBe(requests);
  });

  test.each(Object.entries(readers))("by %s although the list has no record in the range", async (_, reader) => {
    expect(await read(connect([change(2, -900), change(2, 50)]), party, reader)).toEqual({ records: 0, from: start });
  });

  test.each(["v0.74", "v0.79"] as const)(
    "although the block before does not fit a page of a %s node",
    async (version) => {
      const earlier = several(5001, (index) => change(index, -1));
      for (const later of [[], [change(1, 10)]]) {
        const node = createFakeNode({ balances: [...earlier, ...later], block }, { version, rateLimit: false });
        for (const [name, reader] of Object.entries(readers))
          expect(await read(node, {}, reader), name).toEqual({ records: later.length, from: start });
      }
    },
  );

  test.each(Object.entries(readers))("by %s behind one address of which a node keeps less", async (_, reader) => {
    for (const earlier of [change(1, -900), change(2, -900)]) {
      for (const first of [0, 1]) {
        const node = connect([earlier, change(1, 2), own], [-1000, 5], first);
        expect(await read(node, party, reader)).toEqual({ records: 2, from: start });
      }
    }
  });
});

test("after a page that proves a start and reaches the end, only the end is requested once more", async () => {
  const records = [change(1, -5), change(1, 2), own];
  const [full, cut] = [connect(records), connect(records, [99])];
  const nodes = [cut, full, full, full, full];
  const fetch = (request: Request) => (nodes.shift() ?? cut).fetch(request);
  expect(await read({ fetch }, {})).toEqual({ records: 2, from: start });
});

const empty = Object.entries(readers).flatMap(([name, reader]) => [
  { name, reader, version: "v0.74" as const, endTimestamp: end },
  { name, reader, version: "v0.79" as const, endTimestamp: undefined },
]);

test.each(empty)(
  "a query that fails does not prove a range empty: $name, $version, to $endTimestamp",
  async (given) => {
    const dateRange = { startTimestamp: start, endTimestamp: given.endTimestamp };
    for (const witness of [change(1, -5), change(2, -5), change(2, 0)]) {
      const records = [witness, change(1, 2), own];
      const nodeFrom = (hours: number) => connect(records, [hours], 0, given.version);
      const [full, cut] = [nodeFrom(-1000), nodeFrom(99)];
      for (const failing of [1, 2]) {
        let proofs = 0;
        const fetch = async (request: Request) => {
          const { search } = new URL(request.url);
          const isOfOther = witness.partyId !== own.partyId;
          const isProof =
            search.includes(`startTimestamp=${witness.timestamp}&`) && (!isOfOther || search.includes(hex(2)));
          if (search.includes(`startTimestamp=${start}&`) && !isProof && proofs === 0) return cut.fetch(request);
          const response = await full.fetch(request);
          if (!isProof || ++proofs !== failing) return response;
          return new Response(shortened(await response.arrayBuffer(), 0.4), response);
        };
        expect(await read({ fetch }, party, given.reader, dateRange)).toEqual({ records: 2, from: start });
        expect(proofs).toBeGreaterThan(1);
      }
    }
  },
);

test("the node of a pool that keeps the start is read although the other one takes ranges of any length", async () => {
  const day = 24n * hour;
  const { nodes, fetch } = createFakeNetwork({
    nodes: [{ history: end + 900n * day }, { version: "v0.79" }],
    balances: [-1, 0, 1, 2].map((index) => change(1, index * 300 * 24)),
    block: { height: 9n, timestamp: end + 1000n * day },
  });
  const urls = nodes.map(({ url }) => url);
  const client = createClient({ baseUrl: nodePool(urls, { order: "given" }), fetch, pacing: false });
  const dateRange = { startTimestamp: start, endTimestamp: start + 900n * day };
  const scan = client.scanBalanceChanges({ dateRange });
  expect(await scan.toArray()).toHaveLength(3);
  expect((await scan.coverage).start).toBe(start);
});

describe("a start is not proved", () => {
  const pruned = { reason: "pruned", availableFrom: BigInt(own.timestamp) };

  test.each<[what: string, filter: Filter, records: BalanceChange[], keeps?: number[]]>([
    ["nodes have dropped what is before", {}, [change(1, -5), own], [5]],
    ["nodes have dropped what is before, also of others", party, [change(2, -5), own], [5]],
    ["the chain began later", party, [own, change(2, 20)]],
  ])("if %s: `availableFrom` is the oldest record of all", async (_, filter, records, keeps) => {
    for (const [name, reader] of Object.entries(readers))
      await expect(read(connect(records, keeps), filter, reader), name).rejects.toMatchObject(pruned);
  });

  test.each([{}, party])("if any response but the first is of a node without records: %j", async (filter) => {
    const records = [change(1, -5), own];
    for (const [name, reader] of Object.entries(readers)) {
      for (let index = 1; index < 16; index++) {
        const [node, empty] = [connect(records, [5]), connect(records, [50])];
        let requests = 0;
        const fetch = (request: Request) => (requests++ === index ? empty : node).fetch(request);
        await expect(read({ fetch }, filter, reader), `${name}, ${index}`).rejects.toMatchObject(pruned);
      }
    }
  });

  test.each([{}, party])(
    "if the node drops the earlier record after it was found, and is missing from then on: %j",
    async (filter) => {
      const node = createFakeNode({ balances: [change(1, -5), own], block }, { defects: nodeDefects });
      const fetch = (request: Request) => {
        if (new URL(request.url).search.includes(`startTimestamp=${start - 5n * hour}`))
          node.configure({ history: start + hour });
        return node.fetch(request);
      };
      expect(await read({ fetch }, filter)).toEqual({ records: 1, from: BigInt(own.timestamp) });
      await expect(read({ fetch }, filter)).rejects.toMatchObject(pruned);
    },
  );

  test.each(Object.entries(readers))("by records that are not wanted: %s", async (_, reader) => {
    // v0.79 nodes refuse the older type, so the client selects the records itself.
    const accountTypes = ["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION"] as const;
    const records = [change(1, -5), change(2, 10, margin), change(2, 20, margin)];
    const reading = reader(clientOf(connect(records, [5])), { filter: { accountTypes } });
    for await (const record of reading) expect(record).toBeUndefined();
    expect((await reading.coverage).start).toBeGreaterThanOrEqual(BigInt(own.timestamp));
  });

  test("by a record of another asset: the coverage begins with the first record", async () => {
    const assetId = hex(9);
    const records = [change(2, -900), change(1, 10, { assetId })];
    const found = { records: 1, from: BigInt(own.timestamp) };
    for (const [name, reader] of Object.entries(readers)) {
      const node = connect(records);
      expect(await read(node, { assetId }, reader), name).toEqual(found);
      // The page, its end once more, and the proof.
      expect(node.count(), name).toBeLessThanOrEqual(10);
    }
  });
});

describe("the start of a page, 100,", () => {
  const [{ signal }, oldestFirst] = [new AbortController(), { newestFirst: false }];
  const [down, up] = [{ pagination: { first: 9 } }, { pagination: { first: 9, newestFirst: false } }];
  const ended = { ...down, end: 500n };
  const [none, witness, late] = [pageAt([]), pageAt([90n]), pageAt([120n])];
  const open = (isPool: boolean, pages: Parameters<typeof script>[0], session = {}) => {
    const node = script(pages);
    const options = { connection: { isPool, session }, operation: {} } as ListReaderOptions<BalanceChange>;
    const history = historyOf(options, {}, node.read);
    const prove = (page: NodePage<BalanceChange>, request: PageRequest, start = 100n) =>
      history.prove({ page, request, expectation: {}, start }, signal);
    return { ...node, history, prove };
  };
  type Given = [what: string, page: NodePage<BalanceChange>, request: PageRequest];
  const first = { minBlock: 110n, includes: expect.objectContaining({ timestamp: "110" }) };

  test.each<[...Given, until: bigint | undefined, expectation: Expectation]>([
    ["newest first", pageAt([130n, 120n, 110n]), down, 1110n, first],
    ["oldest first", pageAt([110n, 120n], oldestFirst), { ...up, end: 500n }, 1110n, first],
    ["without records", pageAt([], { block: 900n }), ended, 500n, { minBlock: 500n }],
    ["that has no end either", pageAt([], { block: 900n }), down, undefined, { minBlock: 900n }],
    ["and without a block", none, ended, 500n, {}],
  ])("%s, is proved by an earlier record in a response with both", async (_, page, request, end, expectation) => {
    const shown = page.edges.length > 0 ? [90n, 110n] : [90n];
    const proof = pageAt(shown, { ...oldestFirst, block: page.extra.block?.timestamp });
    const { prove, requests, expectations } = open(false, [witness, proof]);
    expect(await prove(page, request)).toEqual({ ...page, completeFrom: 100n });
    const [newest, rest] = [
      { first: 1, newestFirst: true },
      // The witness comes last if there is nothing else that has to.
      { first: 5000, newestFirst: page.edges.length === 0 },
    ];
    expect(requests).toEqual([
      { pagination: newest, end: 101n },
      { pagination: rest, start: 90n, end },
    ]);
    expect(expectations[1]).toEqual({ historyFrom: 100n, minBlock: undefined, includes: undefined, ...expectation });
  });

  const [lost, longest] = [[witness, undefined, witness, undefined], 90n + longestRange];
  const [whole, between] = [pageAt([90n, 110n], oldestFirst), pageAt([90n, 105n, 110n], oldestFirst)];
  const atStart = pageAt([90n, 100n], oldestFirst);
  const full = pageAt([90n, 110n], { ...oldestFirst, more: true });
  const [window, other] = [100n, 101n].map((start) => ({ start, end: 500n, hasMore: false }));
  const [near, older] = [pageAt([110n]), pageAt([110n], { more: true })];
  const shorter = { start: 100n, end: 400n, hasMore: false };
  const [years, kept] = [{ ...none, window: { start: 50n, end: 101n, hasMore: false } }, { availableFrom: undefined }];
  const later = pageAt([90n], { ...oldestFirst, block: 900n });
  const later110 = pageAt([90n, 110n], { ...oldestFirst, block: 900n });
  const [proved, ofLater] = [{ ...near, completeFrom: 100n }, { extra: later.extra }];
  const [loss, endingAt110] = [{ missing: "place" }, { endCursor: "110", hasNextPage: true }];

  test.each<[...Given, ...Parameters<typeof script>, object]>([
    ["is lost if no response has what follows an earlier record", none, ended, [...lost, none], loss],
    ["is lost in the longest range", none, { ...down, end: longest }, [...lost, none], loss],
    ["has no block without records", pageAt([], { block: 900n }), ended, [witness, witness], { extra: none.extra }],
    ["is open in a longer one", none, { ...down, end: longest + 1n }, [...lost, none, witness], none],
    ["is open in a range without an end", none, down, [...lost, none, witness], none],
    ["is lost if a record is found later", none, ended, [...Array(6).fill(none), witness], loss],
    ["is open if none is", none, ended, Array(9).fill(none), none],
    ["was dropped", none, ended, [...Array(5).fill(none), pageAt([150n])], { availableFrom: 150n }],
    ["was dropped, as far as a record after it shows", late, ended, Array(6).fill(none), { availableFrom: 120n }],
    ["is kept, as an older window shows", late, ended, [...Array(4).fill(none), years, late], kept],
    ["is kept by another node", late, ended, [...Array(5).fill(none), pageAt([100n])], kept],
    ["keeps its records", late, ended, [...lost, pageAt([130n])], late],
    ["is nearer on another node", late, ended, [...lost, near, ...lost.slice(1), near], near],
    ["is proved on another node", late, ended, [...lost, near, whole], { completeFrom: 100n }],
    ["has one window", { ...late, window }, ended, [...lost, { ...pageAt([110n]), window: other }], late],
    ["has one end", { ...late, window }, ended, [...lost, { ...pageAt([110n]), window: shorter }], late],
    ["is open on a newer node", none, ended, [witness, { ...witness, window }, ...Array(4).fill(none)], none],
    ["is followed by missing ones", pageAt([110n], oldestFirst), up, [witness, between], { pageInfo: endingAt110 }],
    ["is not final in a full page", pageAt([110n], oldestFirst), up, [witness, full], { pageInfo: endingAt110 }],
    ["is unknown after an error", none, ended, [witness, new Error("refused")], { message: "refused" }],
    ["is followed by one", none, up, [witness, pageAt([100n, 90n]), atStart], { edges: [{}, {}] }],
    ["is before missing ones", pageAt([110n]), ended, [witness, between, pageAt([105n])], { completeFrom: 100n }],
    ["is decided by older pages", near, ended, [witness, between, { ...older, window }], { completeFrom: 0n }],
    ["is not before others", pageAt([110n]), ended, [witness, between, pageAt([110n])], { completeFrom: 110n }],
    ["is proved up to the block of the proof if it has none itself", none, ended, [witness, later], ofLater],
    ["is proved up to its own block, also if that is unknown", near, ended, [witness, later110], proved],
    ["is proved if later windows reach it", near, { ...down, end: 100n }, [], proved],
    ["is proved if later windows begin before it", near, { ...down, end: 99n }, [], proved],
    ["is lost if no response has both", none, ended, [witness, between, undefined, none, none], loss],
  ])("%s", async (_, page, request, pages, expected) => {
    const { prove, requests } = open(false, pages);
    const result = await prove(page, request).catch((error: unknown) => error);
    expect(result).toMatchObject(expected);
    expect(requests).toHaveLength(pages.length);
  });

  const newer = { refusesRanges: true };
  const distant = 150n + provableRange;
  const both = pageAt([90n, distant], oldestFirst);
  const shown = pageAt([90n], oldestFirst);
  const [back, more] = [pageAt([120n, 90n]), pageAt([90n, 120n], oldestFirst)];
  const early = pageAt([120n]);
  const twoParts = [witness, both, witness];

  test.each<[string, pages: Parameters<typeof script>[0], completeFrom: bigint]>([
    ["in two parts", [...twoParts, shown], 100n],
    ["in one part, since a node has more records before it", [...twoParts, back, more, early, undefined], 150n],
    ["in one part, since no node leads on to them", [...twoParts, back, more, early, pageAt([distant])], 150n],
    ["in one part, since nothing proves the other one", [witness, both, ...Array(6).fill(none)], 150n],
    ["in no part", Array(6).fill(none), distant],
  ])("more than a year before the first record is proved on a newer node %s", async (_, pages, completeFrom) => {
    const page = pageAt([distant]);
    const { prove, requests, expectations } = open(false, pages, newer);
    const request = { pagination: { first: 9, after: "a" } };
    expect(await prove(page, request)).toMatchObject({ edges: page.edges, completeFrom });
    expect(requests).toHaveLength(pages.length);
    expect(requests[0]).toMatchObject({ end: 151n });
    const rest = requests.findIndex(({ start }) => start === 100n);
    if (rest >= 0) expect(expectations[rest]).toMatchObject({ needsBlock: true });
    const others = requests.slice(2).filter(({ pagination }) => !("after" in pagination));
    // The first record was not found in the other part, which has no cursor.
    if (pages[1] === both) expect(others.every(({ end = 0n }) => end <= 150n)).toBe(true);
  });

  test("is not requested on a newer node with a witness more than a year before the first record", async () => {
    const [start, first] = [40n * nanosecondsPerDay, 41n * nanosecondsPerDay + provableRange];
    const page = pageAt([first]);
    const distantWitness = pageAt([10n * nanosecondsPerDay]);
    const { prove, requests } = open(false, [distantWitness, distantWitness, page, distantWitness], newer);
    expect(await prove(page, down, start)).toMatchObject({ completeFrom: first });
    expect(requests.map(({ start }) => start)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("oldest first, is the page with the records that another node has before it, and more follows", async () => {
    const page = pageAt([distant], oldestFirst);
    const { prove, requests } = open(false, [witness, both, witness, back, more], newer);
    const expected = { edges: more.edges, completeFrom: 100n, pageInfo: { hasNextPage: true } };
    expect(await prove(page, up)).toMatchObject(expected);
    expect(requests.at(-1)).toMatchObject({ start: 90n, end: 150n });
  });

  test("is proved in two parts, up to the block of the first proof if it is empty and its range has no end", async () => {
    const page = pageAt([], { block: distant });
    const later = pageAt([90n], { ...oldestFirst, block: distant + 1n });
    const { prove, requests } = open(false, [witness, later, witness, shown], newer);
    expect(await prove(page, down)).toMatchObject({ extra: later.extra, completeFrom: 100n });
    expect(requests.map(({ end }) => end)).toEqual([151n, undefined, 101n, 150n]);
  });

  test("is proved of the page with the records that another node has before it", async () => {
    const whole = pageAt([distant, 120n]);
    const { prove, expectations } = open(false, [witness, both, witness, back, more, early, whole, more], newer);
    const request = { pagination: { first: 9, after: "a" } };
    const expected = { edges: whole.edges, completeFrom: 100n };
    expect(await prove(pageAt([distant]), request)).toMatchObject(expected);
    expect(expectations[6]).toMatchObject({ includes: { timestamp: "120" } });
  });

  test("is proved at once on a newer node if the page has no records, and its range no end", async () => {
    const { prove, requests } = open(false, [witness, shown], newer);
    expect(await prove(none, down)).toMatchObject({ completeFrom: 100n });
    expect(requests[0]).toMatchObject({ end: 101n });
  });

  test.each([
    ["is decided by older pages of another node", pageAt([distant, 200n], { more: true }), [], 0n],
    ["is proved before older records of another node", pageAt([distant, 120n]), [witness, more], 100n],
  ])("%s", async (_, other, pages, completeFrom) => {
    const { prove } = open(false, [witness, pageAt([90n, 200n, distant], oldestFirst), other, ...pages], newer);
    const request = { pagination: { first: 9, after: "a" } };
    const expected = { edges: other.edges, completeFrom };
    expect(await prove(pageAt([distant]), request)).toMatchObject(expected);
  });

  test("is compared with the oldest record of all windows, and with nothing if no response shows its block", async () => {
    const windows = [pageAt([], { window: { start: 100n, end: 300n, hasMore: false } }), pageAt([350n])];
    const { history, requests, expectations } = open(true, windows);
    expect(await history.oldestAfter(100n, signal)).toBe(350n);
    expect(requests).toMatchObject([{ start: 100n }, { start: 300n }]);
    expect(await open(false, [pageAt([100n])]).history.oldestAfter(100n, signal)).toBeUndefined();
    expect(expectations).toEqual(Array(2).fill({ historyFrom: 100n, needsBlock: true }));
  });
});
