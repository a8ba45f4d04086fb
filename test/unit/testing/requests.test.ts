import { describe, expect, test } from "vitest";
import { type BalanceChange, createClient, type Vote } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { baseUrl, fetchFrom, fetchPage, transaction } from "../../support/raw-requests.js";

const node = createFakeNode(undefined, { rateLimit: false });
const { balances, votes, spamStatistics } = node.records;
const [{ partyId = "", proposalId = "" } = {}] = votes;
const [{ assetId, partyId: one } = {}, { partyId: two } = {}] = balances;
const market = balances.find(({ marketId }) => marketId)?.marketId;
const origin = { Origin: "https://app.example" };

describe("a fake node selects", () => {
  test.each<[string, query: string, (vote: Vote) => boolean]>([
    ["a proposal", `proposalId=${proposalId}`, (vote) => vote.proposalId === proposalId],
    ["a party", `partyId=${partyId}`, (vote) => vote.partyId === partyId],
    ["a party in snake_case", `party_id=${partyId}`, (vote) => vote.partyId === partyId],
    ["both", `partyId=${partyId}&proposalId=${proposalId}`, (vote) => vote === votes[0]],
    ["an empty party, which has none", `partyId=&proposalId=${proposalId}`, () => false],
  ])("votes by %s", async (_, query, isWanted) => {
    const { edges } = await fetchPage(node, `/api/v2/votes?${query}`);
    expect(edges).toHaveLength(votes.filter(isWanted).length);
  });

  const isMargin = ({ accountType }: BalanceChange) => accountType === "ACCOUNT_TYPE_MARGIN";
  test.each<[string, filter: string, (change: BalanceChange) => boolean]>([
    ["an asset", `assetId=${assetId}`, (change) => change.assetId === assetId],
    ["an empty asset, which is no filter", "assetId=", () => true],
    ["parties", `partyIds=${one}&filter.partyIds=${two}`, ({ partyId }) => partyId === one || partyId === two],
    ["a market", `marketIds=${market}`, ({ marketId }) => marketId === market],
    ["an account type", "accountTypes=ACCOUNT_TYPE_MARGIN", isMargin],
    ["the number of an account type", "accountTypes=3", isMargin],
  ])("balance changes by %s", async (_, filter, isWanted) => {
    const { edges } = await fetchPage(node, `/api/v2/balance/changes?filter.${filter}`);
    expect(edges).toHaveLength(balances.filter(isWanted).length);
  });

  test.each([
    ["partyIds=network", 1],
    ["assetId=00", 1],
    ["assetId=AB", 1],
    ["assetId=ac", 0],
  ])("ids in either case, and well-known names: %s", async (filter, count) => {
    const ids = { network: "VOTE", alice: "ab" };
    const balances = Object.entries(ids).map(([partyId, assetId]) => ({ partyId, assetId }));
    const { edges } = await fetchPage(createFakeNode({ balances }), `/api/v2/balance/changes?filter.${filter}`);
    expect(edges).toHaveLength(count);
  });
});

test.each(["False", "0", "f", "FALSE"])("a fake node reads the boolean %s as Go does", async (text) => {
  const newestFirst = (value: string) => fetchPage(node, `/api/v2/balance/changes?pagination.newestFirst=${value}`);
  expect(await newestFirst(text)).toEqual(await newestFirst("false"));
});

describe("a fake node rejects", () => {
  test.each([
    ["/api/v2/votes", 10023, "missing proposal id and party id"],
    ["/api/v2/votes?partyId=zz", 170003, "failed to get votes"],
    ["/api/v2/votes?partyId=ab&pagination.first=0", 10028, "invalid pagination"],
    ["/api/v2/votes?partyId=ab&pagination.first=5001", 10028, "invalid pagination"],
    ["/api/v2/votes?partyId=ab&pagination.after=!", 10028, "invalid pagination"],
    ["/api/v2/parties/profiles?parties=x", 10000, "failed to get parties' profiles"],
    ["/api/v2/balance/changes?filter.assetId=0xab", 90004, "failed to get balances"],
    ["/api/v2/balance/changes?filter.partyIds=bob", 10000, "invalid party id"],
    ["/api/v2/balance/changes?filter.marketIds=ab", 10000, "invalid party id"],
    ["/api/v2/node/signatures?id=abc", 180001, "failed to get notary for resource ID"],
    ["/api/v2/node/signatures", 10025, "missing resource ID"],
    ["/statistics/spam/", 10006, "empty or missing party ID"],
  ])("%s with status 400 and the details of the data node", async (path, code, message) => {
    const { status, body, headers } = await fetchFrom(node, path);
    expect({ status, ...body }).toMatchObject({ status: 400, code: 3, message: "InvalidArgument error" });
    const type = "type.googleapis.com/vega.ErrorDetail";
    expect(body.details).toEqual([{ "@type": type, code, message, inner: expect.any(String) }]);
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
    const { status, body, headers } = await fetchFrom(createFakeNode(), `/api/v2/balance/changes?${query}`);
    expect({ status, ...body }).toEqual({ status: 400, code: 3, message, details: [] });
    expect(Object.fromEntries(headers)).toEqual({ "content-type": "application/json", vary: "Origin" });
  });

  test.each(["no JSON", '{"vega_time":"x"}', '{"AccountID":5}'])("a cursor of %s with status 500", async (text) => {
    const path = `/api/v2/balance/changes?pagination.after=${encodeURIComponent(btoa(text))}`;
    const { status, body } = await fetchFrom(node, path);
    expect([status, body.details[0].code]).toEqual([500, 90004]);
  });

  test.each([
    ["GET", "/api/v2/votes/", 404, '{"code":5,"message":"Not Found","details":[]}'],
    ["GET", "/datanode/api/v2/votes", 404, '{"code":5,"message":"Not Found","details":[]}'],
    ["GET", "/transaction/check", 501, '{"code":12,"message":"Method Not Allowed","details":[]}'],
    ["HEAD", "/transaction/check", 501, ""],
  ])("%s %s with status %i", async (method, path, status, text) => {
    expect(await fetchFrom(node, path, { method })).toMatchObject({ status, text });
  });
});

describe("a fake node responds", () => {
  test("with zeros for a party without spam statistics, at its block", async () => {
    const { body } = await fetchFrom(node, "/statistics/spam/constructor");
    expect(body).toMatchObject({ chainId: "vega-fake-0011", statistics: { proposals: { countForEpoch: "0" } } });
    expect(body.statistics.pow.blockStates[0].blockHeight).toBe("1234568");
    const [[known = "", statistics] = []] = Object.entries(spamStatistics);
    const { pow } = body.statistics;
    expect((await fetchFrom(node, `/statistics/spam/${known}`)).body.statistics).toEqual({ ...statistics, pow });
  });

  test("with the proof of work of its block for every party, unless it was given", async () => {
    const node = createFakeNode({ spamStatistics: 1 });
    node.nextBlock({ spamStatistics: { ab: { epochSeq: "2" }, cd: { pow: null } } });
    const powOf = async (party = "") => (await fetchFrom(node, `/statistics/spam/${party}`)).body.statistics.pow;
    const [generated] = Object.keys(node.records.spamStatistics);
    const blockStates = [{ blockHeight: `${node.block.height}` }];
    for (const party of [generated, "ab", "ef"]) expect(await powOf(party)).toMatchObject({ blockStates });
    expect(await powOf("cd")).toBe(null);
  });

  test("with the address of the request, which pages of a client have", async () => {
    const client = createClient({ baseUrl, fetch: createFakeNode().fetch });
    const { response } = await client.listPartiesProfiles({ pagination: { first: 1 } });
    expect(response.url).toBe(`${baseUrl}/api/v2/parties/profiles?pagination.first=1`);
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
    const corsOf = ({ headers }: { headers: Headers }) => {
      const own = [...headers].filter(([name]) => name.startsWith("access-control-"));
      return Object.fromEntries(own.map(([name, value]) => [name.slice(15), value]));
    };
    const response = await fetchFrom(node, `/api/v2/votes?partyId=${partyId}`, { headers: origin });
    const allowed = { "allow-origin": "https://app.example" };
    expect(corsOf(response)).toEqual({ ...allowed, "expose-headers": "*" });
    const wanted = { "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "CONTENT-type,a" };
    const headers = { ...origin, ...wanted };
    const preflight = await fetchFrom(node, "/transaction/check", { method: "OPTIONS", headers });
    const forAWhile = { "allow-headers": "CONTENT-type,a", "allow-methods": "POST", "max-age": "7200" };
    expect([preflight.status, corsOf(preflight)]).toEqual([204, { ...allowed, ...forAWhile }]);
    expect(preflight.headers.get("vary")).toBe(["Origin", ...Object.keys(wanted)].join(", "));
  });

  test("and keeps a log of operation, method, address, headers and body", async () => {
    const { fetch, requests } = createFakeNode();
    await createClient({ baseUrl, fetch, headers: { "X-Id": "7" } }).checkTransaction({ tx: transaction });
    const url = `${baseUrl}/transaction/check`;
    const headers = { accept: "application/json", "content-type": "application/json", "x-id": "7" };
    const body = JSON.stringify({ tx: transaction });
    expect(requests).toEqual([{ operation: "checkTransaction", method: "POST", url, headers, body }]);
  });
});
