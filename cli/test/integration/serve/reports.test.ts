import type { NodeSignature } from "vegaprotocol-client";
import { signatureBundle } from "vegaprotocol-client/reports";
import { createFakeNetwork, type FakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { account, block, change, changes, first, hour, other, party } from "../../support/changes.js";
import { checkResponse, send, serve } from "../../support/gateway.js";
import { listing, type Node, withPaths } from "../../support/nodes.js";

const createNetwork = (data = {}) =>
  createFakeNetwork({ nodes: 1, balances: changes, block, ...data }, { defects: nodeDefects, rateLimit: false });

/** The path of a report. Times are hours after the first change. */
const pathOf = (name: string, query: Record<string, string>) => `/reports/${name}?${new URLSearchParams(query)}`;
const at = (hours: number) => `${first + BigInt(hours) * hour}`;
/** Serves a network, and returns a function that requests a report. */
async function reportsOf(network: FakeNetwork, fetch: Node["fetch"] = network.fetch) {
  const { url } = await serve(network, [], fetch);
  return (name: string, query: Record<string, string>) => send(url + pathOf(name, query));
}
const balance = (hours: number) => changes[hours]?.balance;

test("balances, statements and series of accounts are complete, and null where they are unknown", async () => {
  const { url } = await serve(createNetwork());
  const get = async (name: string, query: Record<string, string>) => {
    const { body } = await send(url + pathOf(name, query));
    checkResponse(`/reports/${name}`, "application/json", body);
    return body;
  };
  const own = { partyId: party, ...account };
  expect(await get("balances", { party, at: at(10) })).toEqual({
    balances: [{ ...own, balance: balance(9), timestamp: at(9) }],
    coverage: { startTimestamp: expect.any(String), endTimestamp: `${BigInt(at(10)) + 1n}` },
  });
  // Without a time, it is the newest block.
  expect(await get("balances", { party })).toMatchObject({ balances: [{ balance: balance(199) }] });
  const { statement } = await get("statement", { party, from: at(3), to: at(7) });
  expect(statement).toEqual([
    { ...own, timestamp: at(3), entry: "opening", change: null, balance: balance(3) },
    { ...own, timestamp: at(5), entry: "change", change: `2${"0".repeat(25)}`, balance: balance(5) },
    { ...own, timestamp: at(7), entry: "change", change: `2${"0".repeat(25)}`, balance: balance(7) },
    { ...own, timestamp: at(7), entry: "closing", change: null, balance: balance(7) },
  ]);
  const zone = { completeHistory: "true", monthly: "true", timeZone: "Asia/Tokyo" };
  const monthly = await get("statement", { party, from: "2024-02", to: "now", ...zone });
  expect([monthly.statement[0], ...monthly.statement.slice(-2)]).toMatchObject([
    { timestamp: `${BigInt(Date.UTC(2024, 0, 31, 15)) * 1_000_000n}`, balance: "0", month: null, total: null },
    { entry: "month", month: "2024-02", change: null, total: balance(199) },
    { entry: "closing", balance: balance(199) },
  ]);
  const range = { asset: account.assetId, from: at(0), to: at(2), every: "hour", groupBy: "asset" };
  const sums = await get("series", range);
  const zeros = "0".repeat(25);
  expect(sums.series.map((row: { balance: string }) => row.balance)).toEqual([`3${zeros}`, `5${zeros}`]);
  expect((await get("series", { ...range, groupBy: "party", completeHistory: "true" })).series).toHaveLength(4);

  const csv = await fetch(url + pathOf("statement", { party: other, from: at(1), to: at(2), format: "csv" }));
  expect(csv.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  expect((await csv.text()).split("\r\n")).toEqual([
    "timestamp,entry,change,balance,partyId,assetId,marketId,accountType",
    `${at(1)},opening,,${balance(0)},${other},${account.assetId},,${account.accountType}`,
    `${at(2)},change,2${"0".repeat(25)},${balance(2)},${other},${account.assetId},,${account.accountType}`,
    `${at(2)},closing,,${balance(2)},${other},${account.assetId},,${account.accountType}`,
    "",
  ]);
});

test("a report of a market without a record is complete from its start, which other markets prove", async () => {
  const others = changes.slice(1).map((each, index) => ({ ...each, marketId: String(index % 20).padStart(64, "0") }));
  const get = await reportsOf(createNetwork({ balances: [changes[0], ...others] }));
  const { status, body } = await get("statement", { market: "ab".repeat(32), from: at(100), to: at(150) });
  expect([status, body.statement]).toEqual([200, []]);
  expect(body.coverage).toEqual({ startTimestamp: at(100), endTimestamp: `${BigInt(at(150)) + 1n}` });
});

test.each([
  ["text/csv", "text/csv; charset=utf-8"],
  ["text/csv, application/json;q=0.5", "text/csv; charset=utf-8"],
  ["text/csv;q=0.5, application/json", "application/json"],
  ["text/csv;q=0, */*", "application/json"],
  ["text/html, */*;q=0.8", "application/json"],
])("the format of a report follows Accept: %s", async (accept, type) => {
  const { url } = await serve(createNetwork());
  const response = await fetch(url + pathOf("balances", { party, at: at(3) }), { headers: { Accept: accept } });
  expect(response.headers.get("Content-Type")).toBe(type);
  const twice = `${url}${pathOf("balances", { party, format: "json" })}&format=csv`;
  expect(await send(twice, { headers: { Accept: accept } })).toMatchObject({ status: 400 });
});

test("an asset is an id or a symbol, as on the command line", async () => {
  const network = createNetwork();
  const symbols = { [account.assetId]: "VEGA", ["ab".repeat(32)]: "TWO", ["cd".repeat(32)]: "TWO" };
  const assets = Object.entries(symbols).map(([id, symbol]) => ({ id, details: { symbol, decimals: "18" } }));
  const reports = await reportsOf(network, withPaths(network, listing(...assets)).fetch);
  const get = (asset: string) => reports("balances", { asset, at: at(10) });
  const { body } = await get(account.assetId);
  expect(body.balances).toHaveLength(2);
  expect(await get("vega")).toMatchObject({ status: 200, body });
  for (const [asset, message] of [
    ["TWO", "Several assets have the symbol TWO"],
    ["OTHER", 'Expected `asset` to be an id or a symbol, got "OTHER". The symbols are VEGA, TWO, TWO.'],
  ] as const) {
    const error = { code: 3, message: expect.stringContaining(message) };
    expect(await get(asset)).toMatchObject({ status: 400, body: error });
  }
  const plain = await reportsOf(network);
  const unlisted = /^Expected `asset` to be an id, got "VEGA": no assets are listed.* Pass the id\.$/;
  const refused = { status: 400, body: { message: expect.stringMatching(unlisted) } };
  expect(await plain("balances", { asset: "VEGA", at: at(10) })).toMatchObject(refused);
  const failing = await reportsOf(network, async (request) =>
    request.url.includes("/assets") ? new Response("denied", { status: 400 }) : network.fetch(request),
  );
  const failed = { status: 503, body: { code: 14, message: "A node failed with status 400." } };
  expect(await failing("balances", { asset: "VEGA", at: at(10) })).toMatchObject(failed);
});

test("tallies and limits have what the node knows", async () => {
  const network = createNetwork({ votes: 30, spamStatistics: 1 });
  const { url } = await serve(network);
  const get = async (name: string, query: Record<string, string>) => (await send(url + pathOf(name, query))).body;
  const { proposalId: proposal = "", partyId = "" } = network.records.votes[0] ?? {};
  const { tally } = await get("tally", { proposal, requiredMajority: "0.5" });
  expect(tally).toMatchObject({ passes: null, participation: null, yes: { parties: expect.any(Number) } });
  expect(tally.missing).toEqual(["requiredParticipation", "totalSupply"]);
  expect(tally.thresholds).toEqual({ requiredMajority: { value: "0.5", from: "given" } });
  const query = { party: partyId, command: "vote", proposal };
  expect((await get("limits", query)).limits).toMatchObject({ isAllowed: expect.any(Boolean), reason: null });
  const order = { party: partyId, command: "other" };
  const sentByBlock = `${(await get("limits", order)).limits.proofOfWork.blockHeight}=2`;
  const { limits } = await get("limits", { ...order, sentByBlock });
  expect(limits).toMatchObject({ isAllowed: false, reason: "proof-of-work", proofOfWork: null });
  const csv = await (await fetch(url + pathOf("limits", { ...query, format: "csv" }))).text();
  expect(csv).toMatch(/^name,value\r\nisAllowed,(true|false)\r\nreason,\r\n/);
});

test("a bundle has the signatures of a resource", async () => {
  const network = createNetwork({ signatures: 30 });
  const { url } = await serve(network);
  const { id = "" } = network.records.signatures[0] ?? {};
  const { body } = await send(url + pathOf("bundle", { id: id.toUpperCase() }));
  checkResponse("/reports/bundle", "application/json", body);
  const signatures = network.records.signatures.filter((each) => each.id === id);
  expect(body.bundle).toEqual({ id, bundle: expect.stringMatching(/^0x/) });
  expect(body.bundle.bundle).toHaveLength((await signatureBundle(signatures)).length);
  const list = (await (await fetch(`${url}/api/v2/node/signatures?id=${id}`)).json()).signatures;
  const listed = list.edges.map(({ node }: { node: NodeSignature }) => node);
  expect(body.bundle.bundle).toBe(await signatureBundle(listed));
});

test.each<[name: string, query: Record<string, string>, status: number]>([
  ["nothing", {}, 404],
  ["constructor", {}, 404],
  ["balances", {}, 400],
  ["balances", { party, at: "soon" }, 400],
  ["balances", { party, format: "xml" }, 400],
  ["balances", { party, at: `${first + 400n * hour}` }, 503],
  ["balances", { party, parties: party }, 400],
  ["statement", { party }, 400],
  ["series", { party, from: at(5), every: "constructor" }, 400],
  ["series", { party, from: at(5), groupBy: "__proto__" }, 400],
  ["series", { party, from: "2000", every: "minute" }, 400],
  ["series", { party, from: at(5), timeZone: "Mars/Olympus" }, 400],
  ["series", { party, from: "now" }, 400],
  ["tally", {}, 400],
  ["bundle", {}, 400],
  ["bundle", { id: "ab" }, 404],
])("the report %s with %j is a %i", async (name, query, status) => {
  const get = await reportsOf(createNetwork());
  expect(await get(name, query)).toMatchObject({ status, body: { code: expect.any(Number) } });
});

test.each<[name: string, query: Record<string, string>, message: RegExp]>([
  ["limits", { party, command: "other", sentSince: "5n" }, /^Expected `sentSince` to be a bigint or .* got "5n"\.$/],
  ["limits", { party, command: "other", tokens: "x" }, /^Expected `tokens` to be a bigint or digits.* got "x"\.$/],
  ["limits", { party }, /^Expected the parameter `command`\.$/],
  ["series", { from: at(5) }, /^Expected at least one of the parameters `party`, `asset` and `market`\.$/],
  ["balances", { party, completeHistory: "yes" }, /^Expected `completeHistory` to be true or false, got "yes"\.$/],
  ["limits", { party, command: "vote" }, /^Expected the parameter `proposal`\./],
  ["series", { party, from: at(5), every: "year" }, /^Expected `every` to be "change" or.* got "year"\.$/],
  ["series", { party, from: at(5), groupBy: "type" }, /^Expected `groupBy` to .*, accountType, .* mean accountType\?$/],
  ["tally", { proposal: "ab", liquidityMajority: "x" }, /^Expected `liquidityMajority` to be.* got "x"\.$/],
  [
    "statement",
    { party, from: at(5), to: at(4) },
    new RegExp(`^Expected \`to\` to be no earlier than \`from\`, got "${at(4)}" and "${at(5)}"\\.$`),
  ],
  ["tally", { proposal: "xx" }, /^Expected `proposal` to be an id.* got "xx"\.$/],
  ["tally", { proposal: "ab", market: "xx" }, /^Expected `market` to be an id.* got "xx"\.$/],
  ["tally", { proposal: "ab", totalSupply: "x" }, /^Expected `totalSupply` to be .* got "x"\.$/],
  ["tally", { proposal: "ab", requiredMajority: "2" }, /^Expected `requiredMajority` to be .* got "2"\.$/],
  ["balances", { party: "xx" }, /^Expected `party` to be an id.* got "xx"\.$/],
  ["balances", { party, accountType: "foo" }, /^Expected `accountType` to be a name such as .*, got "foo"\.$/],
  ["limits", { party: "xx", command: "other" }, /^Expected `party` to be an id.* got "xx"\.$/],
  ["limits", { party, command: "foo" }, /^Expected `command` to be "proposal" or .* got "foo"\.$/],
  ["series", { party, from: "now" }, /^Expected `from` to be a time before now\.$/],
  ["series", { party, from: "x" }, /^Expected `from` to be a time such as 2024, .* 24h or 7d, got "x"\.$/],
  ["series", { party, from: "2024", timeZone: "x" }, /^Expected `timeZone` to be a time zone such .* UTC, got "x"\.$/],
  ["series", { party, from: "2024", format: "xml" }, /^Expected `format` to be json or csv, got "xml"\.$/],
  ["limits", { party, command: "other", sentByBlock: "x" }, /^Expected `sentByBlock` to be .* got "x"\.$/],
])("an error of the report %s with %j names its parameter, and nothing is sent", async (name, query, message) => {
  const network = createNetwork({ spamStatistics: 1 });
  const get = await reportsOf(network);
  const error = { message: expect.stringMatching(message) };
  expect(await get(name, query)).toMatchObject({ status: 400, body: error });
  expect(network.nodes[0]?.requests).toEqual([]);
});

test("a threshold of liquidity providers requires the other one, from the caller or the node", async () => {
  const network = createNetwork({ votes: 30 });
  const { proposalId: proposal = "" } = network.records.votes[0] ?? {};
  const get = await reportsOf(network);
  for (const [query, needed] of [
    [{ liquidityMajority: "0.5" }, "liquidityMajority requires liquidityParticipation:"],
    [{ market: "ab" }, "market requires liquidityMajority and liquidityParticipation:"],
  ] as const) {
    const message = `${needed} the node has no such threshold for the proposal.`;
    expect(await get("tally", { proposal, ...query })).toMatchObject({ status: 400, body: { message } });
  }
  const totalSupply = String(10n ** 40n);
  const decided = { requiredMajority: "0.5", requiredParticipation: "1", totalSupply, market: "ab" };
  const liquidity = { liquidityMajority: "0.5", liquidityParticipation: "0.5" };
  const message = 'Expected `market` to be a market of the batch, of which votes have a share, got "ab".';
  const refused = { status: 400, body: { message } };
  expect(await get("tally", { proposal, ...decided, ...liquidity })).toMatchObject(refused);
});

test("a report that begins after the newest block is an error about the nodes", async () => {
  const get = await reportsOf(createNetwork());
  const message = expect.stringMatching(/^The node is behind: it has reached 2024-.*Z, and the report begins at 2/);
  const error = { status: 503, body: { message } };
  expect(await get("statement", { party, from: "24h" })).toMatchObject(error);
});

test("a report from nodes without block headers needs an end, which the error names", async () => {
  const get = await reportsOf(createFakeNetwork({ nodes: 1, balances: changes, block }, { blockHeaders: false }));
  for (const [name, query, option] of [
    ["balances", { party, at: "now" }, "at"],
    ["statement", { party, from: at(3) }, "to"],
  ] as const) {
    const message = expect.stringContaining(`pass the parameter \`${option}\` with a time`);
    expect(await get(name, query)).toMatchObject({ status: 400, body: { code: 3, message } });
  }
  const { body } = await get("balances", { party, at: at(10) });
  expect(body).toMatchObject({ balances: [{}] });
  // CSV has no coverage that could lack its end.
  expect(body.coverage).toEqual({ startTimestamp: at(0) });
  const message = expect.stringMatching(/^The responses have no block headers, so nothing shows that .* format=json, /);
  for (const query of [{ at: at(10) }, { at: "2025-01-01" }]) {
    const csv = await get("balances", { party, format: "csv", ...query });
    expect(csv).toMatchObject({ status: 503, body: { message } });
  }
});

test("a report that needs more than the nodes keep is an error", async () => {
  const history = BigInt(Date.UTC(2024, 1, 9)) * 1_000_000n;
  const get = await reportsOf(createNetwork({ nodes: [{ history }], balances: [change(first - hour), ...changes] }));
  const query = { party, from: at(0), to: at(100) };
  const oldest = at(38);
  const details = [{ "@type": "vegaprotocol-client/PaginationError", reason: "pruned", availableFrom: oldest }];
  const message = expect.stringMatching(
    /complete from 2024-.*, and the report needs those since 2.*Z\. Pass (from=2024-|a later at,)/,
  );
  const pruned = { status: 400, body: { code: 11, message, details } };
  expect(await get("statement", query)).toMatchObject(pruned);
  for (const more of [{ completeHistory: "true" }, { from: oldest }])
    expect(await get("statement", { ...query, ...more })).toMatchObject({ status: 200 });
  // Not the end of the range, which would lead to the same error again.
  expect(await get("balances", { party, at: "2020" })).toMatchObject(pruned);
});

test("a report of accounts that nodes have no record of is an error unless something shows that they had none", async () => {
  const get = await reportsOf(createNetwork({ nodes: [{ history: block.timestamp }], balances: changes, block }));
  const pruned = { status: 400, body: { code: 11, details: [{ reason: "pruned", availableFrom: at(100) }] } };
  expect(await get("statement", { party, from: at(0), to: at(100) })).toMatchObject(pruned);
  expect(await get("balances", { party, at: at(100) })).toMatchObject({ status: 200, body: { balances: [] } });
});

test("accounts younger than a report are in it, with unknown balances before their first record", async () => {
  const [young, asset] = ["12".repeat(32), "34".repeat(32)];
  const balances = [...changes, change(first + 30n * hour, "9", young)];
  const { url } = await serve(createNetwork({ balances }));
  const { body } = await send(url + pathOf("statement", { party: young, from: at(3), to: at(40) }));
  expect(body.coverage.startTimestamp).toBe(at(0));
  expect(body.statement).toMatchObject([{ balance: null }, { balance: "9" }, { balance: "9" }]);
  const none = { status: 200, body: { balances: [] } };
  expect(await send(url + pathOf("balances", { party: asset, at: "now" }))).toMatchObject(none);
  for (const time of ["now", at(20)])
    expect(await send(url + pathOf("balances", { asset, at: time }))).toMatchObject(none);
});
