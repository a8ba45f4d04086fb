import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  createFakeNetwork,
  createFakeNode,
  type FakeNetwork,
  type FakeNode,
  nodeDefects,
} from "vegaprotocol-client/testing";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { overDays, startOfDay } from "../../../test/support/over-days.js";
import { loop, type RunningGateway, startGateway } from "../support/gateway.js";

const running: RunningGateway[] = [];
afterEach(() => Promise.all(running.splice(0).map((gateway) => gateway.close())));

type Fetch = (request: Request) => Promise<Response>;

async function serve(network: FakeNetwork, flags: readonly string[] = [], fetch: Fetch = network.fetch, path = "") {
  const urls = network.nodes.map(({ url }) => url + path);
  const gateway = await startGateway(urls, flags, fetch);
  running.push(gateway);
  // It checks the nodes when it starts.
  await globalThis.fetch(`${gateway.url}/readyz`);
  for (const node of network.nodes) node.requests.length = 0;
  return gateway;
}

/** Three nodes as they are: with all defects, behind each other, and each with its own order of the votes of one block. */
function createNetwork(data: Parameters<typeof createFakeNetwork>[0] = {}) {
  const network = createFakeNetwork(
    { nodes: [{}, { lag: 1 }, { lag: 2 }], votes: 300, balances: 800, signatures: 40, profiles: 60, ...data },
    { defects: nodeDefects, rateLimit: false },
  );
  for (let block = 0; block < 3; block++) network.nextBlock();
  return network;
}

const closedProposal = ({ votes }: FakeNode["records"]) => votes[0]?.proposalId ?? "";
const openProposal = ({ votes }: FakeNode["records"]) => votes[1]?.proposalId ?? "";
const resource = ({ signatures }: FakeNode["records"]) => signatures[0]?.id ?? "";

/** The lists of a chain: where they are, and what they hold. */
function listsOf({ records }: Pick<FakeNetwork, "records">) {
  const votesOf = (id: string) => records.votes.filter(({ proposalId }) => proposalId === id);
  return [
    { path: "/api/v2/balance/changes?", envelope: "balances", wanted: records.balances },
    { path: "/api/v2/parties/profiles?", envelope: "profiles", wanted: records.profiles },
    ...[closedProposal(records), openProposal(records)].map((id) => ({
      path: `/api/v2/votes?proposalId=${id}&`,
      envelope: "votes",
      wanted: votesOf(id),
    })),
    {
      path: `/api/v2/votes?partyId=${records.votes[0]?.partyId}&`,
      envelope: "votes",
      wanted: records.votes.filter(({ partyId }) => partyId === records.votes[0]?.partyId),
    },
    {
      path: `/api/v2/node/signatures?id=${resource(records)}&`,
      envelope: "signatures",
      wanted: records.signatures.filter(({ id }) => id === resource(records)),
    },
  ];
}

const sorted = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).sort();

const small = { votes: 60, balances: 80, signatures: 12, profiles: 30 };

test.each([
  { size: 1, names: ["first", "after"], newestFirst: true, data: { ...small, votes: 20, balances: 20 } },
  { size: 7, names: ["first", "after"], newestFirst: false, data: small },
  { size: 7, names: ["last", "before"], newestFirst: true, data: small },
  { size: 100, names: ["last", "before"], newestFirst: false, data: {} },
  { size: 100, names: ["first", "after"], newestFirst: false, data: {} },
  { size: 5000, names: ["first", "after"], newestFirst: true, data: {} },
])(
  "a loop in pages of $size with $names, newest first: $newestFirst, gets every record of every list once",
  async ({ size, names: [name], newestFirst, data }) => {
    const network = createNetwork(data);
    const { url } = await serve(network);
    for (const { path, envelope, wanted } of listsOf(network)) {
      const pages = `pagination.${name}=${size}&pagination.newestFirst=${newestFirst}`;
      const { records } = await loop(url, path + pages, envelope, { backward: name === "last" });
      expect([envelope, sorted(records)]).toEqual([envelope, sorted(wanted)]);
    }
  },
);

describe("a loop over other nodes", () => {
  const nodes = { balances: 400, votes: 90, signatures: 30, profiles: 40 };
  const now = () => Date.UTC(2024, 1, 10);

  test.each([
    ["of v0.79", { version: "v0.79" as const, now, defects: nodeDefects }],
    ["without defects", {}],
    ["that name no block", { blockHeaders: false, defects: nodeDefects }],
  ])("%s gets every record of every list once", async (_, options) => {
    const network = createFakeNetwork({ ...nodes, nodes: 2 }, { ...options, rateLimit: false });
    const { url } = await serve(network);
    for (const backward of [false, true]) {
      for (const { path, envelope, wanted } of listsOf({ records: network.nodes[0]?.records ?? network.records })) {
        const pages = `pagination.${backward ? "last" : "first"}=30`;
        const { records } = await loop(url, path + pages, envelope, { backward });
        expect([envelope, sorted(records)]).toEqual([envelope, sorted(wanted)]);
      }
    }
  });

  test("gets every record of a filter that takes several requests", async () => {
    const network = createNetwork({ nodes: 1 });
    const { url } = await serve(network);
    const known = [...new Set(network.records.balances.map(({ partyId }) => partyId))];
    const others = Array.from({ length: 150 }, (_, index) => index.toString(16).padStart(64, "0"));
    const parties = [...known.slice(1), ...others];
    const path = `${url}/api/v2/balance/changes?${parties.map((id) => `filter.partyIds=${id}`).join("&")}`;
    const wanted = network.records.balances.filter(({ partyId }) => parties.includes(partyId));
    expect(wanted.length).toBeGreaterThan(200);
    const { records } = await loop(`${path}&pagination.first=90`, "", "balances");
    expect(sorted(records)).toEqual(sorted(wanted));
  });

  test("with more profiles than a page of a node gets those of both ends", async () => {
    const network = createFakeNetwork({ nodes: 1, profiles: 7000 }, { defects: nodeDefects, rateLimit: false });
    const { url } = await serve(network);
    const { records, pages } = await loop(url, "/api/v2/parties/profiles?pagination.first=3000", "profiles");
    expect([records.length, pages]).toEqual([7000, 3]);
    expect(sorted(records)).toEqual(sorted(network.records.profiles));
  });

  test.each([
    ["more than 10 000 profiles", { profiles: 10_500 }, () => "/api/v2/parties/profiles?pagination.first=100"],
    [
      "more than 5000 votes of one block",
      { votes: 15_600 },
      (records: FakeNode["records"]) => `/api/v2/votes?proposalId=${closedProposal(records)}&pagination.first=100`,
    ],
  ])("with %s is an error that says what to request", async (_, data, path) => {
    const network = createFakeNetwork({ nodes: 1, ...data }, { defects: nodeDefects, rateLimit: false });
    const { url } = await serve(network);
    const response = await fetch(url + path(network.records));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      code: 15,
      message: expect.stringMatching(/by their ids|of one party/),
    });
  });
});

describe("a cursor", () => {
  const path = "/api/v2/balance/changes?pagination.first=20&pagination.newestFirst=false";

  test("leads on at another gateway, from any record of a page, in both directions", async () => {
    const network = createNetwork();
    const [one, other] = [await serve(network), await serve(network)];
    for (const { path, envelope } of listsOf(network)) {
      const get = async (base: string, parameters: string) =>
        (await (await fetch(`${base}${path}pagination.newestFirst=false${parameters}`)).json())[envelope];
      const { edges } = await get(one.url, "&pagination.first=9");
      for (const index of [0, Math.floor(edges.length / 2), edges.length - 1]) {
        const { cursor } = edges[index];
        const after = await get(other.url, `&pagination.first=2&pagination.after=${encodeURIComponent(cursor)}`);
        expect(after.edges.map(({ node }: { node: object }) => node).slice(0, edges.length - 1 - index)).toEqual(
          edges.slice(index + 1, index + 3).map(({ node }: { node: object }) => node),
        );
        const before = await get(other.url, `&pagination.last=2&pagination.before=${encodeURIComponent(cursor)}`);
        expect(before.edges.map(({ node }: { node: object }) => node)).toEqual(
          edges.slice(Math.max(0, index - 2), index).map(({ node }: { node: object }) => node),
        );
      }
    }
  });

  const edit = (cursor: string, change: (fields: unknown[]) => unknown) => {
    const fields = JSON.parse(Buffer.from(cursor.slice(8), "base64url").toString());
    const text = Buffer.from(JSON.stringify(change(fields))).toString("base64url");
    return createHash("sha256").update(text).digest("base64url").slice(0, 8) + text;
  };
  const far = "9".repeat(19);

  test.each<[string, (cursor: string) => string]>([
    [
      "of a block far beyond any that was seen",
      (cursor) => edit(cursor, ([list, , ...place]) => [list, far, ...place]),
    ],
    ["of a record far beyond any", (cursor) => edit(cursor, ([list, block, , ...key]) => [list, block, far, ...key])],
    ["of the block abc", (cursor) => edit(cursor, ([list, , ...place]) => [list, "abc", ...place])],
    ["of a block that is an object", (cursor) => edit(cursor, ([list, , ...place]) => [list, {}, ...place])],
    ["of no record", (cursor) => edit(cursor, ([list, block]) => [list, block])],
    ["of the record 7", (cursor) => edit(cursor, ([list, block]) => [list, block, 7])],
    ["of another list", (cursor) => edit(cursor, ([, ...others]) => ["listPartiesProfiles", ...others])],
    ["that is null", (cursor) => edit(cursor, () => null)],
    ["that is an object", (cursor) => edit(cursor, () => ({ __proto__: null, own: "a" }))],
    ["with another letter", (cursor) => cursor.replace(/.(?=.{20}$)/, (letter) => (letter === "a" ? "b" : "a"))],
    ["that is too short", (cursor) => cursor.slice(0, -4)],
    ["that is too long", (cursor) => `${cursor}AAAA`],
    ["that is empty", () => ""],
    ["of a node", () => Buffer.from('{"vega_time":"2024-02-09T16:54:49Z"}').toString("base64")],
  ])("%s is a 400 at once, and costs no node a request", async (_, change) => {
    const network = createNetwork();
    const { url } = await serve(network);
    const { endCursor } = (await (await fetch(url + path)).json()).balances.pageInfo;
    expect((await fetch(`${url}${path}&pagination.after=${endCursor}`)).status).toBe(200);
    for (const node of network.nodes) node.requests.length = 0;
    const response = await fetch(`${url}${path}&pagination.after=${encodeURIComponent(change(endCursor))}`);
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 3, message: expect.any(String), details: [] },
    ]);
    expect(network.nodes.flatMap(({ requests }) => requests)).toEqual([]);
  });

  test("of a block that comes within a minute is a 503 after a few requests", async () => {
    const network = createNetwork({ nodes: 1 });
    const { url } = await serve(network);
    const profiles = "/api/v2/parties/profiles?pagination.first=3";
    const { endCursor } = (await (await fetch(url + profiles)).json()).profiles.pageInfo;
    const soon = String(network.block.timestamp + 50_000_000_000n);
    for (const node of network.nodes) node.requests.length = 0;
    const later = edit(endCursor, ([list, , ...place]) => [list, soon, ...place]);
    const response = await fetch(`${url}${profiles}&pagination.after=${later}`);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(network.nodes[0]?.requests.length).toBeLessThan(20);
  });
});

describe("votes that move while they are read", () => {
  test("do not take records of other blocks with them", async () => {
    const network = createNetwork();
    const { url } = await serve(network);
    const id = openProposal(network.records);
    const path = `/api/v2/votes?proposalId=${id}&pagination.first=10&pagination.newestFirst=false`;
    let requests = 0;
    const moved = new Set<string>();
    const send = async (each: string) => {
      const response = await fetch(each);
      const { edges } = (await response.clone().json()).votes;
      // Votes of the page before, which the next page is asked from, are cast again.
      if (++requests < 5) {
        const again = edges.slice(-6).map(({ node }: { node: { partyId: string } }) => node);
        for (const { partyId } of again) moved.add(partyId);
        const timestamp = `${network.block.timestamp}` as const;
        network.nextBlock({ votes: again.map((vote: object) => ({ ...vote, timestamp }) as never) });
        network.nextBlock();
        network.nextBlock();
      }
      return response;
    };
    const { records } = await loop(url, path, "votes", { send });
    const parties = new Set(records.map(({ partyId }) => partyId));
    for (const { partyId, proposalId } of network.records.votes)
      if (proposalId === id) expect(parties).toContain(partyId);
    const repeated = records.length - parties.size;
    expect(repeated).toBeLessThanOrEqual(moved.size);
    expect(repeated).toBeGreaterThan(0);
  });
});

describe("a page", () => {
  test("has no more records than requested from a node that sends more, and its cursors lead to the rest", async () => {
    const network = createNetwork({ nodes: 1 });
    // A node that does not know small pages.
    const { url } = await serve(network, [], (request) => {
      const larger = request.url.replace(
        /pagination\.(first|last)=(\d+)/,
        (_, name, size) => `pagination.${name}=${Math.max(50, Number(size))}`,
      );
      return network.fetch(new Request(larger, request));
    });
    for (const { path, envelope, wanted } of listsOf(network)) {
      const sizes: number[] = [];
      const { records } = await loop(url, `${path}pagination.first=20&pagination.newestFirst=false`, envelope, {
        send: async (each) => {
          const response = await fetch(each);
          sizes.push((await response.clone().json())[envelope].edges.length);
          return response;
        },
      });
      expect(Math.max(...sizes)).toBe(Math.min(20, wanted.length));
      expect(sorted(records)).toEqual(sorted(wanted));
    }
  });

  test("has a link to the next one, which leads to every record in both directions", async () => {
    const network = createNetwork();
    const { url } = await serve(network);
    for (const name of ["first", "last"]) {
      const records: object[] = [];
      let next: string | undefined = `/api/v2/balance/changes?pagination.${name}=90`;
      while (next !== undefined) {
        const response: Response = await fetch(url + next);
        records.push(...(await response.json()).balances.edges.map(({ node }: { node: object }) => node));
        next = /^<(.*)>; rel="next"$/.exec(response.headers.get("Link") ?? "")?.[1];
      }
      expect(sorted(records)).toEqual(sorted(network.records.balances));
    }
  });
});

describe("several nodes", () => {
  test("that go down and come up during a loop lose nothing", async () => {
    const network = createNetwork();
    const { url } = await serve(network);
    let requests = 0;
    const send = (each: string) => {
      for (const [index, node] of network.nodes.entries()) node.configure({ down: requests % 3 === index });
      requests++;
      return fetch(each);
    };
    const path = "/api/v2/balance/changes?pagination.first=90&pagination.newestFirst=false";
    const { records } = await loop(url, path, "balances", { send });
    expect(sorted(records)).toEqual(sorted(network.records.balances));
  });

  test("that are all down are a 503 with Retry-After, and /readyz says so", async () => {
    const network = createNetwork();
    for (const node of network.nodes) node.configure({ down: true });
    const { url } = await serve(network, ["--retries", "0"]);
    const response = await fetch(`${url}/api/v2/parties/profiles`);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ code: 14 });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("that ban the gateway are a 503 with the time that is left", async () => {
    // Two checks of the node come before.
    const network = createFakeNetwork({ nodes: 1 }, { rateLimit: { rate: 1, burst: 3, refusals: 0, ban: 90 } });
    const { url } = await serve(network, ["--no-pacing"]);
    expect((await fetch(`${url}/api/v2/parties/profiles`)).status).toBe(200);
    const response = await fetch(`${url}/api/v2/parties/profiles`);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(80);
  });

  test("that keep less history than the range are a 400 with the time from which on there is all", async () => {
    const balances = overDays(createFakeNode({ balances: 300 }).records.balances);
    const network = createFakeNetwork({ nodes: 1, balances }, { defects: nodeDefects, rateLimit: false });
    const [node] = network.nodes;
    const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => (a < b ? -1 : 1));
    const history = startOfDay(times[150] ?? 0n);
    node?.configure({ history });
    const { url } = await serve(network);
    const path = `/api/v2/balance/changes?dateRange.startTimestamp=${times[0]}&pagination.newestFirst=false`;
    const response = await fetch(url + path);
    expect(response.status).toBe(400);
    const { code, details } = await response.json();
    expect({ code, details }).toMatchObject({
      code: 11,
      details: [{ reason: "pruned", availableFrom: `${times.find((time) => time >= history)}` }],
    });
  });
});

describe("a response", () => {
  test("of spam statistics, of a check and of an error is that of the node", async () => {
    const network = createFakeNetwork({ nodes: 1, spamStatistics: 2, votes: 3 }, { rateLimit: false });
    const { url } = await serve(network);
    const party = network.records.votes[0]?.partyId;
    const node = network.nodes[0]?.url;
    const post = (body: string) => ({ method: "POST", body, headers: { "Content-Type": "application/json" } });
    const requests: [string, RequestInit?][] = [
      [`/statistics/spam/${party}`],
      ["/transaction/check", post('{"tx":{"pubKey":"ab"}}')],
      ["/transaction/check", post("{}")],
      ["/api/v2/votes?proposalId=xyz"],
    ];
    for (const [path, init] of requests) {
      const [own, other] = [await fetch(url + path, init), await network.fetch(`${node}${path}`, init)];
      expect([path, own.status, await own.json()]).toEqual([path, other.status, await other.json()]);
    }
    expect((await fetch(`${url}/statistics/spam/${party}`)).headers.get("X-Block-Height")).toBe("1234568");
  });

  test.each([
    ["/api/v2/assets", "GET", 404, 5],
    ["/api/v2/votes?partyId=a", "DELETE", 501, 12],
    ["/api/v2/votes", "GET", 400, 3],
    ["/api/v2/votes?partyID=a", "GET", 400, 3],
    ["/api/v2/votes?partyId=a&__proto__=b", "GET", 400, 3],
    ["/api/v2/votes?partyId=a&constructor=b", "GET", 400, 3],
    ["/api/v2/votes?partyId=a&pagination.__proto__=b", "GET", 400, 3],
    ["/api/v2/votes?partyId=a&partyId=b", "GET", 400, 3],
    ["/api/v2/parties/profiles?pagination.first=5001", "GET", 400, 3],
    ["/api/v2/parties/profiles?pagination.first=0", "GET", 400, 3],
    ["/api/v2/parties/profiles?pagination.first=x", "GET", 400, 3],
    ["/api/v2/parties/profiles?pagination.first=3&pagination.before=abc", "GET", 400, 3],
    ["/api/v2/balance/changes?filter.accountTypes=GENERAL", "GET", 400, 3],
    ["/transaction/check", "POST", 400, 3],
  ])("to %s with %s has status %i and an error as nodes send it", async (path, method, status, code) => {
    const network = createFakeNetwork({ nodes: 1 }, { rateLimit: false });
    const { url } = await serve(network);
    const response = await fetch(url + path, { method, ...(method === "POST" && { body: "{" }) });
    expect([response.status, await response.json()]).toEqual([
      status,
      { code, message: expect.any(String), details: [] },
    ]);
    expect(network.nodes[0]?.requests).toEqual([]);
  });
});

/** Checks a line of a stream with the description of the gateway. */
function createLineCheck() {
  const [openapi, gateway] = ["openapi.yaml", "gateway.yaml"].map((name) =>
    parse(
      readFileSync(new URL(name === "openapi.yaml" ? `../../../${name}` : `../../${name}`, import.meta.url), "utf8"),
    ),
  );
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(openapi, "openapi.yaml").addSchema(gateway, "gateway.yaml");
  const content = "/paths/~1api~1v2~1balance~1changes/get/responses/200/content/application~1x-ndjson/schema";
  return ajv.compile({ $ref: `gateway.yaml#${content}` });
}

describe("coverage of balance changes", () => {
  const hour = 3_600_000_000_000n;
  const first = 1_707_300_000_000_000_000n;
  const party = "ab".repeat(32);
  const times = Array.from({ length: 200 }, (_, index) => first + BigInt(index) * hour);
  const balances = times.map((time, index) => ({
    timestamp: `${time}` as const,
    balance: "1",
    partyId: index % 3 ? "cd".repeat(32) : party,
    assetId: "ef".repeat(32),
    marketId: "",
    accountType: "ACCOUNT_TYPE_GENERAL",
  }));

  /** Walks pages, and returns the records with the coverage of each page. */
  async function walk(url: string, query: string) {
    const records: string[] = [];
    const coverages: { startTimestamp: string; endTimestamp: string }[] = [];
    for (let after = ""; ; ) {
      const response = await fetch(`${url}/api/v2/balance/changes?pagination.first=20&${query}${after}`);
      const body = await response.json();
      if (response.status !== 200) return { records, coverages, error: body };
      records.push(...body.balances.edges.map(({ node }: { node: { timestamp: string } }) => node.timestamp));
      coverages.push(body.coverage);
      if (!body.balances.pageInfo.hasNextPage) return { records, coverages };
      after = `&pagination.after=${encodeURIComponent(body.balances.pageInfo.endCursor)}`;
    }
  }

  test.each([true, false])("of pages joins to the range, newest first: %s", async (newestFirst) => {
    const { url } = await serve(createNetwork({ balances, nodes: 1 }));
    const range = `dateRange.startTimestamp=${times[10]}&dateRange.endTimestamp=${times[150]}`;
    const { records, coverages } = await walk(url, `${range}&pagination.newestFirst=${newestFirst}`);
    expect(records).toHaveLength(140);
    const inOrder = newestFirst ? coverages.reverse() : coverages;
    expect(inOrder.at(0)?.startTimestamp).toBe(`${times[10]}`);
    expect(inOrder.at(-1)?.endTimestamp).toBe(`${times[150]}`);
    for (const [index, { startTimestamp }] of inOrder.slice(1).entries()) {
      // The block at the border can be in both.
      expect(BigInt(startTimestamp) - BigInt(inOrder[index]?.endTimestamp ?? 0)).toBeLessThanOrEqual(1n);
    }
  });
});

describe("a stream of balance changes", () => {
  const isLine = createLineCheck();
  const headers = { Accept: "application/x-ndjson" };
  const linesOf = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  test.each([true, false])(
    "has every record, and a last line that says complete; newest first: %s",
    async (newestFirst) => {
      const network = createNetwork();
      const { url } = await serve(network);
      const response = await fetch(`${url}/api/v2/balance/changes?pagination.newestFirst=${newestFirst}`, { headers });
      expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
      const lines = linesOf(await response.text());
      const { block } = network;
      expect(lines.pop()).toMatchObject({
        complete: true,
        records: 800,
        coverage: { endTimestamp: expect.any(String) },
      });
      expect(sorted(lines)).toEqual(sorted(network.records.balances));
      const times = lines.map(({ timestamp }) => timestamp);
      expect(times).toEqual(newestFirst ? [...times].sort().reverse() : [...times].sort());
      expect(BigInt(times[0])).toBeLessThan(block.timestamp);
    },
  );

  test("that cannot be continued ends with an error line and the range that is missing", async () => {
    const network = createNetwork({ nodes: 1, balances: 20_000 });
    let requests = 0;
    const { url } = await serve(network, ["--retries", "0"], (request) => {
      if (++requests === 4) network.nodes[0]?.configure({ down: true });
      return network.fetch(request);
    });
    const path = "/api/v2/balance/changes?pagination.newestFirst=false";
    const response = await fetch(url + path, { headers });
    const lines = linesOf(await response.text());
    expect(lines.filter((line) => !isLine(line))).toEqual([]);
    const { error } = lines.pop();
    expect(error).toMatchObject({ code: 14, resume: { startTimestamp: expect.any(String) } });
    network.nodes[0]?.configure({ down: false });
    const rest = await fetch(`${url}${path}&dateRange.startTimestamp=${error.resume.startTimestamp}`, { headers });
    const missing = linesOf(await rest.text());
    expect(missing.pop()).toMatchObject({ complete: true });
    expect(sorted([...lines, ...missing])).toEqual(sorted(network.records.balances));
  });

  test("that is in flight when the grace period ends has an error line at its end", async () => {
    const network = createNetwork({ nodes: 1, balances: 20_000 });
    let requests = 0;
    const { url, close } = await serve(network, ["--grace", "0s"], async (request) => {
      const isLate = ++requests > 3;
      if (isLate)
        await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
      return network.fetch(request);
    });
    const response = await fetch(`${url}/api/v2/balance/changes?pagination.newestFirst=false`, { headers });
    const ended = close();
    const lines = linesOf(await response.text());
    expect(lines.pop()).toMatchObject({ error: { code: 14, message: "The gateway is shutting down." } });
    expect((await ended).code).toBe(0);
  });

  test("whose caller goes sends no further requests", async () => {
    const network = createNetwork({ nodes: 1, balances: 60_000 });
    const { url, log } = await serve(network);
    const controller = new AbortController();
    const { body } = await fetch(`${url}/api/v2/balance/changes`, { headers, signal: controller.signal });
    const reader = body?.getReader();
    await reader?.read();
    controller.abort();
    await expect.poll(() => log().filter(({ path }) => path === "/api/v2/balance/changes")).toHaveLength(1);
    const count = network.nodes[0]?.requests.length;
    await fetch(`${url}/healthz`);
    expect(network.nodes[0]?.requests.length).toBe(count);
  });
});

describe("one caller", () => {
  const open = (url: string, head: string, headers: string) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(`${head} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
    return socket;
  };
  const firstLine = async (socket: Socket) => {
    const [data] = await once(socket, "data");
    // The rest is not read.
    socket.pause();
    return String(data).split("\r\n")[0];
  };

  test("with 200 bodies that do not end takes a bounded amount of memory, and others are served", async () => {
    const { url } = await serve(createNetwork());
    const part = "a".repeat(2 ** 20);
    const sockets = Array.from({ length: 200 }, () =>
      open(url, "POST /transaction/check", `Content-Type: application/json\r\nContent-Length: ${5 * 2 ** 20}`),
    );
    const lines = sockets.map((socket) => firstLine(socket).catch(() => "closed"));
    for (const socket of sockets) socket.write(part);
    // At most eight of a caller are held; a body that got no further is refused.
    const refused = new Promise<void>((resolve) => {
      let count = 0;
      for (const line of lines)
        line.then(() => {
          if (++count === 192) resolve();
        });
    });
    await refused;
    expect((await fetch(`${url}/api/v2/parties/profiles`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    const all = await Promise.all(lines.map((line) => Promise.race([line, Promise.resolve("held")])));
    expect(all.filter((line) => /^HTTP\/1\.1 503|closed/.test(line ?? "")).length).toBeGreaterThanOrEqual(192);
  });

  test("has two streams at once: further ones are a 503, and another caller gets one", async () => {
    const network = createNetwork({ nodes: 1, balances: 60_000 });
    const { url } = await serve(network, ["--trust-proxy"]);
    const send = (caller: string) =>
      open(url, "GET /api/v2/balance/changes", `Accept: application/x-ndjson\r\nX-Forwarded-For: spoofed, ${caller}`);
    const sockets = Array.from({ length: 8 }, () => send("192.0.2.1"));
    const lines = await Promise.all(sockets.map(firstLine));
    expect(lines.filter((line) => line === "HTTP/1.1 200 OK")).toHaveLength(2);
    expect(lines.filter((line) => line === "HTTP/1.1 503 Service Unavailable")).toHaveLength(6);
    const other = send("192.0.2.2");
    expect(await firstLine(other)).toBe("HTTP/1.1 200 OK");
    for (const socket of [...sockets, other]) socket.destroy();
    // A stream whose caller has gone makes room.
    await expect
      .poll(async () => {
        const socket = send("192.0.2.1");
        const line = await firstLine(socket);
        socket.destroy();
        return line;
      })
      .toBe("HTTP/1.1 200 OK");
  });
});

describe("the program", () => {
  test("says what it is at its root", async () => {
    const { url } = await serve(createNetwork());
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/vegaprotocol serve[\s\S]*GET \/api\/v2\/balance\/changes\n/);
  });

  test("writes a line of JSON for each request, without headers, parameters and the paths of nodes", async () => {
    const network = createFakeNetwork({ nodes: [{}, { down: true }] }, { rateLimit: false });
    const withoutPath: Fetch = (request) => network.fetch(new Request(request.url.replace("/key-1234", ""), request));
    const flags = ["--verbose", "--header", "Authorization: secret-1", "--retries", "1"];
    const { url, log, close } = await serve(network, flags, withoutPath, "/key-1234");
    await fetch(`${url}/api/v2/parties/profiles?parties=${"ab".repeat(32)}`, {
      headers: { Authorization: "secret-2" },
    });
    network.nodes[0]?.configure({ down: true });
    const failed = await (await fetch(`${url}/statistics/spam/${"cd".repeat(32)}`)).text();
    const { stderr } = await close();
    for (const text of [stderr, failed]) expect(text).not.toMatch(/secret|key-|abab/);
    const requests = log().filter(({ event, path }) => event === "request" && path !== "/readyz");
    expect(requests).toMatchObject([
      {
        method: "GET",
        path: "/api/v2/parties/profiles",
        operation: "listPartiesProfiles",
        status: 200,
        caller: "127.0.0.1",
      },
      { operation: "getSpamStatistics", status: 503, error: expect.any(String) },
    ]);
  });

  test("ends with 0, once the requests in flight have their responses", async () => {
    const network = createFakeNetwork({ nodes: 1 }, { rateLimit: false });
    let arrived = () => {};
    let release = () => {};
    const [isHeld, held] = [
      new Promise<void>((resolve) => (arrived = resolve)),
      new Promise<void>((resolve) => (release = resolve)),
    ];
    const { url, close } = await serve(network, [], async (request) => {
      if (request.url.includes("profiles")) {
        arrived();
        await held;
      }
      return network.fetch(request);
    });
    const response = fetch(`${url}/api/v2/parties/profiles`);
    await isHeld;
    const ended = close();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    release();
    const { status, headers } = await response;
    expect([status, headers.get("Connection")]).toEqual([200, "close"]);
    expect((await ended).code).toBe(0);
  });

  test("lets pages of an origin read responses with --cors alone", async () => {
    const network = createFakeNetwork({ nodes: 1 }, { rateLimit: false });
    const [closed, open] = [await serve(network), await serve(network, ["--cors", "https://page.example"])];
    const send = (url: string, origin: string, method = "GET") =>
      fetch(`${url}/api/v2/parties/profiles`, {
        method,
        headers: { Origin: origin, "Access-Control-Request-Headers": "x-a" },
      });
    const allowed = "Access-Control-Allow-Origin";
    expect((await send(closed.url, "https://page.example")).headers.get(allowed)).toBeNull();
    expect((await send(open.url, "https://page.example")).headers.get(allowed)).toBe("https://page.example");
    expect((await send(open.url, "https://other.example")).headers.get(allowed)).toBeNull();
    const preflight = await send(open.url, "https://page.example", "OPTIONS");
    expect([preflight.status, preflight.headers.get("Access-Control-Allow-Headers")]).toEqual([204, "x-a"]);
  });

  test("rejects a head of more than 128 KiB, and a body of more than 6 MiB", async () => {
    const { url } = await serve(createNetwork());
    const long = await fetch(`${url}/api/v2/parties/profiles?parties=${"a".repeat(2 ** 17)}`);
    expect(long.status).toBe(431);
    const body = JSON.stringify({ tx: { inputData: "a".repeat(6 * 2 ** 20) } });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /transaction/check HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const [data] = await new Promise<Buffer[]>((resolve) => socket.once("data", (each) => resolve([each])));
    socket.destroy();
    expect(String(data)).toMatch(/^HTTP\/1\.1 429 /);
  });

  test("says what to do if its port is in use", async () => {
    const network = createNetwork();
    const { url } = await serve(network);
    const failed = startGateway([network.nodes[0]?.url ?? ""], ["--port", new URL(url).port], network.fetch);
    await expect(failed).rejects.toThrow("The port is in use: choose another one, or 0 for a free one.");
  });
});
