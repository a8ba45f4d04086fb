import { createHash } from "node:crypto";
import { createFakeNetwork, type FakeNetworkData, type FakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { block, change, changes, first, hour, ids, other, party } from "../../support/changes.js";
import { loop, send, serve, startGateway } from "../../support/gateway.js";

/** Nodes as they are: with all defects, and each with its own order of the votes of one block. */
const createNetwork = (data: FakeNetworkData, options = {}) =>
  createFakeNetwork(data, { defects: nodeDefects, rateLimit: false, ...options });

const small = { nodes: [{}, { lag: 1 }], votes: 60, balances: 80, signatures: 12, profiles: 30 };
const tiny = { ...small, votes: 20, balances: 20 };
const large = { ...small, votes: 300, balances: 800, signatures: 40, profiles: 60 };

/** The lists of a chain: where they are, and what they hold. */
function listsOf({ balances, profiles, votes, signatures }: FakeNode["records"]) {
  // The first proposal is closed: its votes were written in one block. The second one is open.
  const [closed = "", open = ""] = votes.map(({ proposalId }) => proposalId);
  const [party, id] = [votes[0]?.partyId, signatures[0]?.id];
  return [
    { path: "/api/v2/balance/changes?", wanted: balances },
    { path: "/api/v2/parties/profiles?", wanted: profiles },
    { path: `/api/v2/votes?proposalId=${closed}&`, wanted: votes.filter((vote) => vote.proposalId === closed) },
    { path: `/api/v2/votes?proposalId=${open}&`, wanted: votes.filter((vote) => vote.proposalId === open) },
    { path: `/api/v2/votes?partyId=${party}&`, wanted: votes.filter((vote) => vote.partyId === party) },
    { path: `/api/v2/node/signatures?id=${id}&`, wanted: signatures.filter((signature) => signature.id === id) },
  ];
}

const sorted = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).sort();
const recordsOf = (pages: Awaited<ReturnType<typeof loop>>) => pages.flatMap(({ records }) => records);

describe("a loop", () => {
  test.each<[pagination: string, nodes: string, data: FakeNetworkData, options?: object]>([
    ["pagination.first=1&pagination.newestFirst=true", "v0.74", tiny],
    ["pagination.first=7&pagination.newestFirst=false", "v0.74", small],
    ["pagination.last=7&pagination.newestFirst=true", "v0.74", small],
    ["pagination.last=100&pagination.newestFirst=false", "v0.74", large],
    ["pagination.first=5000&pagination.newestFirst=true", "v0.74", large],
    ["pagination.first=30", "v0.79", large, { version: "v0.79", now: () => Date.UTC(2024, 1, 10) }],
    ["pagination.last=30", "v0.79", large, { version: "v0.79", now: () => Date.UTC(2024, 1, 10) }],
    ["pagination.last=30", "no defects", large, { defects: [] }],
    ["pagination.first=30", "no block headers", large, { blockHeaders: false }],
  ])("with %s gets every record of every list once from nodes with %s", async (pagination, _, data, options) => {
    const network = createNetwork(data, options);
    network.nextBlock();
    const { url } = await serve(network);
    const size = Number(/\d+/.exec(pagination));
    for (const { path, wanted } of listsOf(network.nodes[0]?.records ?? network.records)) {
      const pages = await loop(url, path + pagination);
      expect(sorted(recordsOf(pages)), path).toEqual(sorted(wanted));
      expect(Math.max(...pages.map(({ records }) => records.length)), path).toBe(Math.min(size, wanted.length));
      // The header has the same query as the cursors.
      const links = pages.map(({ headers }) => headers.get("Link") ?? undefined);
      expect(links).toEqual(pages.map(({ next }) => next && `<${next.slice(next.indexOf("?"))}>; rel="next"`));
    }
  });

  test.each([true, false])("takes about one request of a page for each page, newest first: %s", async (newestFirst) => {
    const network = createNetwork({ nodes: 1, balances: 600, seed: 4 });
    const { url } = await serve(network);
    const node = network.nodes[0] as FakeNode;
    const times = node.records.balances.map(({ timestamp }) => timestamp).sort();
    const range = `dateRange.startTimestamp=${times[100]}&dateRange.endTimestamp=${times[500]}`;
    for (const query of ["", range]) {
      node.requests.length = 0;
      const order = `pagination.first=20&pagination.newestFirst=${newestFirst}`;
      const pages = await loop(url, `/api/v2/balance/changes?${query}&${order}`);
      const sizes = node.requests.map((sent) => Number(new URL(sent.url).searchParams.get("pagination.first")));
      expect(sizes.length / pages.length).toBeLessThan(1.4);
      expect(sizes.reduce((sum, size) => sum + size) / pages.length).toBeLessThan(145);
    }
  });

  test("gets every record of a filter that takes several requests", async () => {
    const network = createNetwork({ ...large, nodes: 1 });
    const { url } = await serve(network);
    const { balances } = network.records;
    const parties = new Set([...balances.slice(200).map(({ partyId }) => partyId), ...ids(150)]);
    const filter = [...parties].map((id) => `filter.partyIds=${id}&`).join("");
    const wanted = sorted(balances.filter(({ partyId }) => parties.has(partyId)));
    for (const newestFirst of [true, false]) {
      const order = `pagination.first=90&pagination.newestFirst=${newestFirst}`;
      const pages = await loop(url, `/api/v2/balance/changes?${filter}${order}`);
      expect(sorted(recordsOf(pages))).toEqual(wanted);
      // Proxies and clients refuse long headers.
      for (const { headers } of pages) expect(headers.get("Link")).toBeNull();
      for (const { coverage: { startTimestamp = "1", endTimestamp = "0" } = {} } of pages)
        expect(BigInt(startTimestamp)).toBeLessThanOrEqual(BigInt(endTimestamp));
    }
  });

  test.each([true, false])("goes on after the first 5000 records of a block, newest first: %s", async (newestFirst) => {
    const parties = ids(5400);
    const balances = parties.map((id) => change(first, "7", id));
    const { url } = await serve(createNetwork({ balances, block, nodes: 1 }));
    const path = `${url}/api/v2/balance/changes?pagination.newestFirst=${newestFirst}&pagination.first=`;
    const found: string[] = [];
    let place = "5000";
    for (let hasMore = true; hasMore; ) {
      const { edges, pageInfo } = (await send(path + place)).body.balances;
      found.push(...edges.map(({ node }: { node: { partyId: string } }) => node.partyId));
      place = `150&pagination.after=${pageInfo.endCursor}`;
      hasMore = pageInfo.hasNextPage;
    }
    expect(found).toEqual(newestFirst ? parties.reverse() : parties);
  });

  test("gets votes that were cast after an earlier loop, also from nodes without block headers", async () => {
    const network = createNetwork({ nodes: 1, votes: 300 }, { blockHeaders: false });
    const { url } = await serve(network);
    const [, vote] = network.records.votes;
    const path = `/api/v2/votes?proposalId=${vote?.proposalId}&pagination.first=20`;
    const earlier = recordsOf(await loop(url, path));
    const partyIds = Array.from({ length: 50 }, (_, index) => `${index}`.padStart(64, "e"));
    network.nextBlock({ votes: partyIds.map((partyId) => ({ ...vote, partyId, timestamp: undefined })) });
    expect(recordsOf(await loop(url, path))).toHaveLength(earlier.length + 50);
  });

  test("gets more profiles than a page of a node from both ends", async () => {
    const network = createNetwork({ nodes: 1, profiles: 7000 });
    const { url } = await serve(network);
    const pages = await loop(url, "/api/v2/parties/profiles?pagination.first=3000");
    expect(pages.map(({ records }) => records.length)).toEqual([3000, 3000, 1000]);
    expect(sorted(recordsOf(pages))).toEqual(sorted(network.records.profiles));
  });

  test.each([
    ["more than 10 000 profiles", { profiles: 10_500 }, 1, "Request some of them by parties."],
    ["more than 5000 votes of one block", { votes: 15_600 }, 2, "of one party"],
  ])("over %s is a 500 that says what to request", async (_, data, list, message) => {
    const network = createNetwork({ nodes: 1, ...data });
    const { url } = await serve(network);
    const error = { code: 15, message: expect.stringContaining(message) };
    const path = `${listsOf(network.records)[list]?.path}pagination.first=100`;
    expect(await send(url + path)).toMatchObject({ status: 500, body: error });
  });

  test.each([true, false])("has coverages that join to the range, newest first: %s", async (newestFirst) => {
    const { url } = await serve(createNetwork({ balances: changes, block, nodes: 1 }));
    const [start, end] = [first + 10n * hour, first + 150n * hour];
    const range = `dateRange.startTimestamp=${start}&dateRange.endTimestamp=${end}`;
    const order = `pagination.first=20&pagination.newestFirst=${newestFirst}`;
    const pages = await loop(url, `/api/v2/balance/changes?${range}&${order}`);
    expect(recordsOf(pages)).toHaveLength(140);
    let covered = start;
    for (const { coverage } of newestFirst ? pages.reverse() : pages) {
      // The block at the border can be in both.
      expect(BigInt(coverage?.startTimestamp ?? 0) - covered).toBeLessThanOrEqual(1n);
      covered = BigInt(coverage?.endTimestamp ?? 0);
    }
    expect([pages[0]?.coverage?.startTimestamp, covered]).toEqual([`${start}`, end]);
  });
});

describe("a range", () => {
  const path = "/api/v2/balance/changes?pagination.newestFirst=";
  const rangeOf = (start: bigint, end?: bigint) =>
    `&dateRange.startTimestamp=${start}${end === undefined ? "" : `&dateRange.endTimestamp=${end}`}`;

  test.each([[1], [2]])("is not covered before a time that nothing proves, on a page of %i", async (size) => {
    const day = 24n * hour;
    const early = [party, other].map((id) => change(first, "7", id));
    const balances = [...early, change(first + 800n * day)];
    const data = { balances, block: { ...block, timestamp: first + 801n * day }, nodes: 1 };
    const { url } = await serve(createNetwork(data, { version: "v0.79" }));
    const end = first + 790n * day;
    const { body } = await send(`${url}${path}true&dateRange.endTimestamp=${end}&pagination.first=${size}`);
    expect(body).toMatchObject({
      balances: { edges: early.slice(0, size).map(() => ({})), pageInfo: { hasNextPage: size < 2 } },
      ...{ coverage: { startTimestamp: `${end}`, endTimestamp: `${end}` }, complete: false },
    });
  });

  test.each([true, false])("without block headers is not covered to its end, newest first: %s", async (newestFirst) => {
    const { url } = await serve(createNetwork({ balances: changes, block, nodes: 1 }, { blockHeaders: false }));
    const { body } = await send(`${url}${path}${newestFirst}${rangeOf(first, first + 150n * hour)}`);
    expect(body.balances.edges).toHaveLength(150);
    expect(body.coverage).toEqual({ startTimestamp: `${first}` });
  });

  test.each([true, false])("that ends before the newest block is not covered beyond it: %s", async (newestFirst) => {
    const network = createNetwork({ balances: changes, block, nodes: 1 });
    const { url } = await serve(network);
    // The gateway has heard of no block after the end.
    const end = block.timestamp + 3_000_000_000n;
    for (let count = 0; count < 5; count++) network.nextBlock({ balances: 2 });
    const { balances, coverage } = (await send(`${url}${path}${newestFirst}${rangeOf(first, end)}`)).body;
    const late = network.records.balances.filter(({ timestamp }) => BigInt(timestamp) >= end);
    expect(late.length).toBeGreaterThan(0);
    expect(balances.edges).toHaveLength(network.records.balances.length - late.length);
    expect(coverage.endTimestamp).toBe(`${end}`);
  });

  // One of these ends is reached in the request of the last page.
  test.each([4n, 5n, 6n, 7n, 8n, 3600n])(
    "that ends %s s after the newest block is read up to its end if nodes reach it meanwhile, otherwise to the block of its first page",
    async (seconds) => {
      const network = createNetwork({ balances: changes, block, nodes: 1 });
      const fetch = async (request: Request) => {
        network.nextBlock({ balances: 10 });
        return network.fetch(request);
      };
      const { url } = await serve(network, [], fetch);
      const end = network.block.timestamp + seconds * 1_000_000_000n;
      const pages = await loop(url, `${path}false&pagination.first=40${rangeOf(first, end)}`);
      const reached = BigInt(pages[0]?.headers.get("X-Block-Timestamp") ?? 0);
      expect(reached).toBeGreaterThan(block.timestamp);
      const covered = end < network.block.timestamp ? end : reached;
      const wanted = network.records.balances.filter(({ timestamp }) => BigInt(timestamp) < covered);
      expect(sorted(recordsOf(pages))).toEqual(sorted(wanted));
      expect(pages.at(-1)?.coverage?.endTimestamp).toBe(`${covered}`);
    },
  );

  test.each([1, 2, 7])("that v0.79 nodes refuse has every record in pages of %i", async (size) => {
    const day = 24n * hour;
    const balances = [change(first - 700n * day), change(first - 600n * day), ...changes];
    const options = { version: "v0.79", now: () => Date.UTC(2024, 1, 20) };
    const { url } = await serve(createNetwork({ balances, block, nodes: 1 }, options));
    for (const newestFirst of [true, false]) {
      const range = rangeOf(first - 650n * day, first + 30n * hour);
      const pages = await loop(url, `${path}${newestFirst}&pagination.first=${size}${range}`);
      expect(sorted(recordsOf(pages))).toEqual(sorted(balances.slice(1, 32)));
    }
  });

  test("whose start is not proved is not complete, also if it begins at 0", async () => {
    // No record of the asset shows whether the nodes keep earlier ones.
    const assetId = "ac".repeat(32);
    const own = changes.slice(-5).map((change) => ({ ...change, assetId }));
    const { url } = await serve(createNetwork({ balances: [...changes, ...own], block, nodes: 1 }));
    for (const [start, complete] of [
      [first, false],
      [0n, false],
      [BigInt(own[0]?.timestamp ?? 0), true],
      [undefined, true],
    ] as const) {
      const range = `&filter.assetId=${assetId}${start === undefined ? "" : rangeOf(start)}`;
      for (const newestFirst of [true, false]) {
        const page = await send(`${url}${path}${newestFirst}${range}`);
        const headers = { Accept: "application/x-ndjson" };
        const stream = await fetch(`${url}${path}${newestFirst}${range}`, { headers });
        const results = [page.body, JSON.parse((await stream.text()).trim().split("\n").at(-1) ?? "")];
        const shown = results.map(({ complete, code, error }) => complete ?? code ?? error.code);
        expect([start, shown]).toEqual([start, start === 0n ? [11, 11] : [complete, complete]]);
      }
    }
  });
});

test("a gateway reads ranges from another gateway as from a node", async () => {
  const network = createNetwork({ balances: changes, block, nodes: 1 });
  const { url } = await serve(network);
  const second = await startGateway([url], [], fetch);
  for (const start of ["0", "5", "1970-01-01", String(first), "2024-02-08"]) {
    const path = `/api/v2/balance/changes?dateRange.startTimestamp=${start}&pagination.first=2`;
    expect((await send(second.url + path)).body).toEqual((await send(url + path)).body);
  }
});

test("a stream from nodes without block headers is not complete if it has an end, which nothing shows", async () => {
  const { url } = await serve(createNetwork({ balances: changes, block, nodes: 1 }, { blockHeaders: false }));
  const headers = { Accept: "application/x-ndjson" };
  for (const newestFirst of [true, false])
    for (const [end, complete] of [
      ["", true],
      ["&dateRange.endTimestamp=2025-01-01", false],
    ] as const) {
      const path = `/api/v2/balance/changes?dateRange.startTimestamp=${first}&pagination.newestFirst=${newestFirst}`;
      const lines = await (await fetch(url + path + end, { headers })).text();
      const last = JSON.parse(lines.trim().split("\n").at(-1) ?? "");
      expect(last).toEqual({ complete, records: changes.length, coverage: { startTimestamp: `${first}` } });
    }
});

test("a stream refuses the size of a page", async () => {
  const { url } = await serve(createNetwork(tiny));
  const headers = { Accept: "application/x-ndjson" };
  const message = "A stream has no pages: leave out pagination.first.";
  const response = await send(`${url}/api/v2/balance/changes?pagination.first=3`, { headers });
  expect(response).toMatchObject({ status: 400, body: { code: 3, message } });
});

describe("a cursor", () => {
  const path = "/api/v2/parties/profiles?pagination.first=3";
  const endOf = async (url: string): Promise<string> => (await send(url + path)).body.profiles.pageInfo.endCursor;

  test("of any record of a page leads on at another gateway, in both directions", async () => {
    const network = createNetwork(small);
    const [one, other] = [await serve(network), await serve(network)];
    for (const { path } of listsOf(network.records)) {
      const edgesOf = async (url: string, place: string): Promise<{ node: object; cursor: string }[]> => {
        const { body } = await send(`${url}${path}pagination.newestFirst=false&${place}`);
        return (Object.values(body)[0] as { edges: [] }).edges;
      };
      const edges = await edgesOf(one.url, "pagination.first=5000");
      const nodes = edges.map(({ node }) => node);
      for (const index of [0, edges.length >> 1, edges.length - 1]) {
        const after = await edgesOf(other.url, `pagination.first=2&pagination.after=${edges[index]?.cursor}`);
        expect(after.map(({ node }) => node)).toEqual(nodes.slice(index + 1, index + 3));
        const before = await edgesOf(other.url, `pagination.last=2&pagination.before=${edges[index]?.cursor}`);
        expect(before.map(({ node }) => node)).toEqual(nodes.slice(Math.max(0, index - 2), index));
      }
    }
  });

  type Fields = [list: string, block: unknown, ...place: unknown[]];
  /** Changes what a cursor holds, with a checksum that is right. */
  const edit = (cursor: string, change: (...fields: Fields) => unknown) => {
    const fields: Fields = JSON.parse(Buffer.from(cursor.slice(8), "base64url").toString());
    const text = Buffer.from(JSON.stringify(change(...fields))).toString("base64url");
    return createHash("sha256").update(text).digest("base64url").slice(0, 8) + text;
  };
  const far = "9".repeat(19);

  test.each<[string, (cursor: string) => string]>([
    ["of a record after its block", (cursor) => edit(cursor, (list, block, _, ...key) => [list, block, far, ...key])],
    ["of the block abc", (cursor) => edit(cursor, (list, _, ...place) => [list, "abc", ...place])],
    ["of a block that is an object", (cursor) => edit(cursor, (list, _, ...place) => [list, {}, ...place])],
    ["of no record", (cursor) => edit(cursor, (list, block) => [list, block])],
    ["of another list", (cursor) => edit(cursor, (_, ...others) => ["listBalanceChanges", ...others])],
    ["that is null", (cursor) => edit(cursor, () => null)],
    ["with another letter", (cursor) => cursor.replace(/.(?=.{20}$)/, (letter) => (letter === "a" ? "b" : "a"))],
    ["that is too short", (cursor) => cursor.slice(0, -4)],
    ["that is empty", () => ""],
    ["of a node", () => Buffer.from('{"vega_time":"2024-02-09T16:54:49Z"}').toString("base64")],
  ])("%s is a 400 at once, and costs no node a request", async (_, change) => {
    const network = createNetwork(tiny);
    const { url } = await serve(network);
    const cursor = await endOf(url);
    const after = (cursor: string) => send(`${url}${path}&pagination.after=${encodeURIComponent(cursor)}`);
    expect((await after(cursor)).status).toBe(200);
    for (const node of network.nodes) node.requests.length = 0;
    expect(await after(change(cursor))).toMatchObject({ status: 400, body: { code: 3 } });
    expect(network.nodes.flatMap(({ requests }) => requests)).toEqual([]);
  });

  test.each([
    ["of a record that nodes have dropped", "", 185n, 1],
    ["on the way to a start that they have dropped", `&dateRange.startTimestamp=${first}`, 100n, 4],
  ])("%s is an error, after the pages before", async (_, range, kept, pageCount) => {
    const network = createNetwork({ balances: changes, block, nodes: 1 });
    const { url } = await serve(network);
    const path = `${url}/api/v2/balance/changes?pagination.first=20${range}`;
    let { status, body } = await send(path);
    network.nodes[0]?.configure({ history: first + kept * hour });
    const sizes: number[] = [];
    while (status === 200) {
      sizes.push(body.balances.edges.length);
      ({ status, body } = await send(`${path}&pagination.after=${body.balances.pageInfo.endCursor}`));
    }
    expect(sizes).toEqual(Array(pageCount).fill(20));
    expect([status, body]).toMatchObject([400, { code: 11, details: [{ reason: "pruned" }] }]);
  });

  test("of a block that no node has reached is a 503: at once if it is far ahead, otherwise after a few requests", async () => {
    const network = createNetwork({ ...tiny, nodes: 1 });
    const { url } = await serve(network, [], network.fetch, () => 8 * performance.now());
    const cursor = await endOf(url);
    network.nodes[0]?.requests.splice(0);
    // The cursor of a gateway whose nodes are restored from a state of two minutes ago, or of others.
    for (const [seconds, most] of [
      [120n, 1],
      [50n, 20],
    ] as const) {
      const block = network.block.timestamp + seconds * 1_000_000_000n;
      const later = edit(cursor, (list, _, ...place) => [list, `${block}`, ...place]);
      const response = await fetch(`${url}${path}&pagination.after=${later}`);
      expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
      expect(network.nodes[0]?.requests.splice(0).length).toBeLessThanOrEqual(most);
    }
  });

  test("of a page with a block is a 503 at a gateway that hears only a node without block headers, which can be behind", async () => {
    const network = createNetwork({ ...small, nodes: [{}, { lag: 1, blockHeaders: false, down: true }] });
    const cursor = await endOf((await serve(network)).url);
    for (const [index, node] of network.nodes.entries()) node.configure({ down: index === 0 });
    const { url } = await serve(network, ["--retries", "0"]);
    const response = await fetch(`${url}${path}&pagination.after=${cursor}`);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
  });
});
