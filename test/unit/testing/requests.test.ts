import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { createFakeNode, type FakeNode } from "../../../src/testing/index.js";
import { baseUrl, fetchFrom, fetchPage } from "../../support/raw-requests.js";

const node = createFakeNode(undefined, { rateLimit: false });
const [{ partyId = "", proposalId = "" } = {}] = node.records.votes;
const { balances } = node.records;
const where = (test: (change: (typeof balances)[number]) => boolean) => balances.filter(test).length;
const [first, second] = balances;
const market = balances.find(({ marketId }) => marketId)?.marketId;
const margin = where(({ accountType }) => accountType === "ACCOUNT_TYPE_MARGIN");
const countIn = async (fake: FakeNode, path: string) => (await fetchPage(fake, `/api/v2/${path}`)).edges.length;

describe("a fake node selects", () => {
  test.each([
    ["votes by proposal", `votes?proposalId=${proposalId}`, 34],
    ["votes by party", `votes?partyId=${partyId}`, 3],
    ["votes by both", `votes?partyId=${partyId}&proposalId=${proposalId}`, 1],
    ["no votes of an empty id", `votes?partyId=&proposalId=${proposalId}`, 0],
    [
      "changes by asset",
      `balance/changes?filter.assetId=${first?.assetId}`,
      where(({ assetId }) => assetId === first?.assetId),
    ],
    [
      "changes by parties",
      `balance/changes?filter.partyIds=${first?.partyId}&filter.partyIds=${second?.partyId}`,
      where(({ partyId }) => partyId === first?.partyId || partyId === second?.partyId),
    ],
    ["changes by account type", "balance/changes?filter.accountTypes=ACCOUNT_TYPE_MARGIN", margin],
    ["changes by the number of a type", "balance/changes?filter.accountTypes=3", margin],
    ["changes by market", `balance/changes?filter.marketIds=${market}`, where(({ marketId }) => marketId === market)],
    ["all changes with an empty asset", "balance/changes?filter.assetId=", 100],
  ])("%s", async (_, path, count) => {
    expect(await countIn(node, path)).toBe(count);
  });

  test.each([
    ["partyIds=network", 1],
    ["partyIds=alice&filter.partyIds=alice", 1],
    ["assetId=00", 1],
    ["assetId=AB", 1],
    ["assetId=ac", 0],
    ["partyIds=bob", undefined],
  ])("ids in either case, well-known names and any id of a record: %s", async (filter, count) => {
    const change = { timestamp: "1000", balance: "1" } as const;
    const named = createFakeNode({
      balances: [
        { ...change, partyId: "network", assetId: "VOTE" },
        { ...change, partyId: "alice", assetId: "ab" },
      ],
    });
    expect(await countIn(named, `balance/changes?filter.${filter}`).catch(() => undefined)).toBe(count);
  });
});

describe("a fake node rejects", () => {
  test.each([
    ["/api/v2/votes", 10023, "missing proposal id and party id"],
    ["/api/v2/votes?partyId=zz", 170003, "failed to get votes"],
    [`/api/v2/votes?partyId=ab&pagination.first=0`, 10028, "invalid pagination"],
    [`/api/v2/votes?partyId=ab&pagination.first=5001`, 10028, "invalid pagination"],
    [`/api/v2/votes?partyId=ab&pagination.after=!`, 10028, "invalid pagination"],
    ["/api/v2/parties/profiles?parties=x", 10000, "failed to get parties' profiles"],
    ["/api/v2/balance/changes?filter.assetId=0xab", 90004, "failed to get balances"],
    ["/api/v2/balance/changes?filter.marketIds=ab", 10000, "invalid party id"],
    ["/api/v2/node/signatures?id=abc", 180001, "failed to get notary for resource ID"],
    ["/api/v2/node/signatures", 10000, "missing resource ID"],
    ["/statistics/spam/", 10006, "empty or missing party ID"],
  ])("%s with status 400 and the details of the data node", async (path, code, message) => {
    const { status, body, headers } = await fetchFrom(node, path);
    expect({ status, ...body }).toMatchObject({ status: 400, code: 3, message: "InvalidArgument error" });
    expect(body.details).toEqual([
      { "@type": "type.googleapis.com/vega.ErrorDetail", code, message, inner: expect.any(String) },
    ]);
    expect(headers.get("content-type")).toBe("application/json, application/grpc");
    expect(headers.get("x-block-height")).toBe("1234568");
  });

  test.each([
    ["pagination.first=some", 'parsing field "pagination.first": "some" is not a valid value'],
    ["pagination.last=2147483648", 'parsing field "pagination.last": "2147483648" is not a valid value'],
    ["pagination.newestFirst=yes", 'parsing field "pagination.newestFirst": "yes" is not a valid value'],
    ["filter.accountTypes=8", 'parsing field "filter.accountTypes": "8" is not a valid value'],
    ["pagination.first=1&pagination.first=2", 'too many values for field "pagination.first": 1, 2'],
  ])("the query %j in the gateway, in one content type, without block and rate headers", async (query, message) => {
    const limited = createFakeNode();
    const { status, body, headers } = await fetchFrom(limited, `/api/v2/balance/changes?${query}`);
    expect({ status, ...body }).toEqual({ status: 400, code: 3, message, details: [] });
    expect(Object.fromEntries(headers)).toEqual({ "content-type": "application/json", vary: "Origin" });
  });

  test.each(["no JSON", '{"vega_time":"x"}', '{"AccountID":5}'])("a cursor of %s with status 500", async (text) => {
    const path = `/api/v2/balance/changes?pagination.after=${encodeURIComponent(btoa(text))}`;
    const { status, body } = await fetchFrom(node, path);
    expect([status, body.details[0].code]).toEqual([500, 90004]);
  });

  test("unknown paths with status 404, other methods with 501 and broken escapes with 400", async () => {
    expect((await fetchFrom(node, "/api/v2/orders")).body).toEqual({ code: 5, message: "Not Found", details: [] });
    for (const path of ["/api/v2/votes/", "/datanode/api/v2/votes"])
      expect((await fetchFrom(node, path)).status).toBe(404);
    expect((await fetchFrom(node, "/transaction/check")).body.code).toBe(12);
    expect(await fetchFrom(node, "/transaction/check", { method: "HEAD" })).toMatchObject({ status: 501, text: "" });
    expect(await fetchFrom(node, "/statistics/spam/%")).toMatchObject({ status: 400, text: "400 Bad Request" });
  });

  test("a large request and a large response with status 429, which is no rate limit", async () => {
    const profile = { partyId: "a", alias: "x".repeat(21 * 2 ** 20), metadata: [] };
    const large = createFakeNode({ profiles: [profile] }, { rateLimit: false });
    // Base64 is a third longer than what it stands for.
    const body = JSON.stringify({ tx: { inputData: "A".repeat(6 * 2 ** 20) } });
    for (const [path, init] of [
      ["/transaction/check", { method: "POST", body }],
      ["/api/v2/parties/profiles"],
    ] as const) {
      const refused = await fetchFrom(large, path, init);
      expect([refused.status, refused.body.code]).toEqual([429, 8]);
      expect(refused.body.message).toContain("larger than max");
    }
  });
});

describe("a fake node responds", () => {
  test("with zeros for a party without spam statistics, at its block", async () => {
    const { body } = await fetchFrom(node, "/statistics/spam/constructor");
    expect(body).toMatchObject({ chainId: "vega-fake-0011", statistics: { proposals: { countForEpoch: "0" } } });
    expect(body.statistics.pow.blockStates[0].blockHeight).toBe("1234568");
    const [known = ""] = Object.keys(node.records.spamStatistics);
    expect((await fetchFrom(node, `/statistics/spam/${known}`)).body.statistics).toEqual(
      node.records.spamStatistics[known],
    );
  });

  test("with JSON as Go writes it", async () => {
    const { text } = await fetchFrom(node, "/api/v2/parties/profiles");
    expect(text).toContain("\\u003c");
    expect(text).not.toMatch(/[<>&\n]/);
  });

  test("with its block and its limits", async () => {
    const { headers } = await fetchFrom(createFakeNode(), "/api/v2/parties/profiles");
    expect(Object.fromEntries(headers)).toEqual({
      "content-type": "application/json",
      "ratelimit-limit": "20",
      "ratelimit-remaining": "99",
      "ratelimit-request-remote-addr": "127.0.0.1",
      "ratelimit-reset": "1",
      vary: "Origin",
      "x-block-height": "1234568",
      "x-block-timestamp": "1707497696123456000",
    });
  });

  test("with CORS headers to a request with an Origin, and to a preflight request", async () => {
    const headers = { Origin: "https://app.example" };
    const cors = { "access-control-allow-origin": "https://app.example", "access-control-expose-headers": "*" };
    const response = await fetchFrom(node, `/api/v2/votes?partyId=${partyId}`, { headers });
    expect(Object.fromEntries(response.headers)).toMatchObject(cors);
    const preflight = await fetchFrom(node, "/transaction/check", {
      method: "OPTIONS",
      headers: {
        ...headers,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "CONTENT-type,authorization",
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toEqual({
      "access-control-allow-headers": "CONTENT-type,authorization",
      "access-control-allow-methods": "POST",
      "access-control-allow-origin": "https://app.example",
      "access-control-max-age": "7200",
      vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
    });
  });

  test("and keeps a log of operation, method, address, headers and body", async () => {
    const logged = createFakeNode();
    const client = createClient({ baseUrl, fetch: logged.fetch, headers: { "X-Id": "7" } });
    await client.checkTransaction({ tx: { pubKey: "c" } });
    expect(logged.requests).toEqual([
      {
        operation: "checkTransaction",
        method: "POST",
        url: `${baseUrl}/transaction/check`,
        headers: { accept: "application/json", "content-type": "application/json", "x-id": "7" },
        body: '{"tx":{"pubKey":"c"}}',
      },
    ]);
  });
});
