import { describe, expect, test } from "vitest";
import { type BalanceChange, createClient, type Vote } from "../../../src/index.js";
import { createFakeNetwork, createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { baseUrl, fetchFrom, fetchPage, hex } from "../../support/raw-requests.js";

const vote = (party: number, timestamp: `${bigint}`, more: object = {}) => {
  return { partyId: hex(party), proposalId: hex(7), timestamp, ...more };
};
const change = (party: number, timestamp: `${bigint}`, balance = "1") => ({ timestamp, balance, partyId: hex(party) });
const lists = ["votes", "profiles", "balances", "signatures"] as const;
const second = 1_000_000_000n;
const block = { height: 3n, timestamp: 6000n };

describe("the generated records of a fake node", () => {
  test("are the same for the same seed, also the members that records lack", () => {
    const recordsOf = (seed?: number) => {
      const generated = { votes: 60, profiles: 60, balances: 60, spamStatistics: 6 };
      return createFakeNode({ ...generated, signatures: [{}, {}], seed }).records;
    };
    expect(recordsOf()).toEqual(recordsOf(1));
    for (const name of lists) expect(recordsOf(2)[name]).not.toEqual(recordsOf(1)[name]);
  });

  test("have times in microseconds, natural keys of their own, and some blocks with thousands of balance changes", () => {
    const data = { votes: 500, profiles: 500, balances: 20_000, signatures: 500 };
    const { balances, votes, profiles, signatures } = createFakeNode(data).records;
    const keys = [
      balances.map(({ balance: _, ...key }) => JSON.stringify(key)),
      votes.map(({ partyId, proposalId }) => `${partyId} ${proposalId}`),
      profiles.map(({ partyId }) => partyId),
      signatures.map(({ id, sig }) => `${id} ${sig}`),
    ];
    expect(keys.map((each) => new Set(each).size)).toEqual([20_000, 500, 500, 500]);
    expect([...balances, ...votes].every(({ timestamp }) => timestamp.endsWith("000"))).toBe(true);
    const rows = new Map<string, number>();
    for (const { timestamp } of balances) rows.set(timestamp, (rows.get(timestamp) ?? 0) + 1);
    const sizes = [...rows.values()].sort((a, b) => a - b);
    expect(sizes.at(-1)).toBeGreaterThan(1000);
    expect(sizes[sizes.length >> 1]).toBeLessThan(5);
  });

  test("have a closed proposal, whose votes were cast at different times, written in one block, and have weights", async () => {
    const node = createFakeNode({ votes: 90 }, { defects: nodeDefects });
    const { proposalId } = node.records.votes[0] ?? { proposalId: "" };
    const { edges } = await fetchPage<Vote>(node, `/api/v2/votes?proposalId=${proposalId}`);
    expect(new Set(edges.map((edge) => edge.node.timestamp)).size).toBe(30);
    expect(new Set(edges.map(({ cursor }) => JSON.parse(atob(cursor)).vega_time)).size).toBe(1);
    const total = edges.reduce((sum, each) => sum + Number(each.node.totalGovernanceTokenBalance), 0);
    for (const { node: each } of edges) {
      const share = Number(each.totalGovernanceTokenBalance) / total;
      expect(Number(each.totalGovernanceTokenWeight)).toBeCloseTo(share, 15);
    }
    const open = node.records.votes.filter((each) => each.proposalId !== proposalId);
    expect(new Set(open.map((each) => each.totalGovernanceTokenWeight))).toEqual(new Set(["0"]));
  });

  test("are a hundred of each list if the data has no list, whatever else it has", () => {
    const { records } = createFakeNode();
    expect(lists.map((name) => records[name].length)).toEqual([100, 100, 100, 100]);
    expect(createFakeNode({}, { defects: nodeDefects }).records).toEqual(records);
    expect(createFakeNetwork({ nodes: 2, seed: 1, votes: undefined }).records).toEqual(records);
    for (const votes of [0, []])
      expect(createFakeNode({ votes }).records).toMatchObject({ votes: [], profiles: [], balances: [] });
  });
});

describe("records that lack members", () => {
  test("are completed so that clients read all members, and none replaces another one", async () => {
    const data = {
      votes: [{ partyId: "a11ce0" }, { partyId: "b0b0", value: "VALUE_NO" }, { proposalId: undefined }],
      profiles: [{ alias: "Ana" }, {}, { partyId: "a11ce0" }],
      balances: [{ partyId: "a11ce0", balance: "5" }, { partyId: "a11ce0" }, {}],
      signatures: [{ sig: null }, {}, { kind: 3 }],
      spamStatistics: { a11ce0: { epochSeq: "7" as const } },
    };
    const { fetch, records } = createFakeNode(data);
    const client = createClient({ baseUrl, fetch });
    expect(records).toMatchObject({ ...data, votes: [data.votes[0], data.votes[1], {}] });
    const [{ proposalId = "" } = {}, { id = "" } = {}] = [records.votes[0], records.signatures[0]];
    expect(await client.listVotes({ proposalId }).toArray()).toHaveLength(3);
    expect(await client.listNodeSignatures({ id }).toArray()).toHaveLength(3);
    const { statistics } = await client.getSpamStatistics({ partyId: "a11ce0" });
    expect(statistics).toMatchObject({ epochSeq: "7", votes: { maxForEpoch: "3" } });
    for (const name of lists) {
      const members = Object.keys(createFakeNode({ [name]: 1 }).records[name][0] ?? {}).sort();
      expect(records[name].map((record) => Object.keys(record).sort())).toEqual([members, members, members]);
    }
  });

  test("have the times of the last blocks, a second apart, in their order", () => {
    const { records } = createFakeNode({
      votes: [{}, { blockTime: "7000" }, {}],
      balances: [{}, { timestamp: "5000" }, {}],
      block: { height: 9n, timestamp: 100n * second },
    });
    const [first, last] = [97n, 99n].map((time) => `${time * second}`);
    expect(records.votes.map(({ timestamp }) => timestamp)).toEqual([first, "7000", last]);
    expect(records.balances.map(({ timestamp }) => timestamp)).toEqual([first, "5000", last]);
  });
});

describe("the next block of a fake node", () => {
  test("begins after the block that its new records are in, which is half-written before", async () => {
    const node = createFakeNode({ balances: 50, votes: 5 });
    const { height, timestamp } = node.block;
    const path = "/api/v2/balance/changes?pagination.first=5000";
    node.addRecords({ balances: 299, votes: 2, profiles: 1 });
    node.addRecords({ balances: 1 });
    const { headers } = await fetchFrom(node, path);
    expect([headers.get("x-block-height"), headers.get("x-block-timestamp")]).toEqual([`${height}`, `${timestamp}`]);
    expect((await fetchPage(node, path)).edges).toHaveLength(350);
    node.nextBlock({ balances: 400, votes: [{ partyId: "a11ce0" }], signatures: 2, spamStatistics: 1 });
    expect(node.block).toEqual({ height: height + 1n, timestamp: timestamp + second });
    node.nextBlock({ balances: 3 });
    const { edges } = await fetchPage<BalanceChange>(node, path);
    const times = edges.map((edge) => edge.node.timestamp).slice(0, -50);
    expect(times).toEqual([...Array(3).fill(`${timestamp + second}`), ...Array(700).fill(`${timestamp}`)]);
    expect(node.records.votes.slice(5).map((each) => each.timestamp)).toEqual(Array(3).fill(`${timestamp}`));
  });

  test("takes records with their own times, from that of the begun block on, and goes as far as they do", () => {
    const node = createFakeNode({ balances: [change(1, "1000")], block: { height: 1n, timestamp: 5000n } });
    node.nextBlock({ balances: [change(1, "5000"), change(2, "9000")] });
    expect(node.records.balances).toHaveLength(3);
    expect(node.block).toEqual({ height: 2n, timestamp: 1_000_009_000n });
    node.nextBlock({ balances: [change(1, "1000009000")], block: { height: 7n, timestamp: 2_000_000_000n } });
    expect(node.block).toEqual({ height: 7n, timestamp: 2_000_000_000n });
  });

  test("replaces a party's vote on a proposal, a profile, a signature and a change of the same account and time", async () => {
    const profile = { partyId: hex(1), alias: "a", metadata: [] };
    const signature = { id: hex(3), sig: "AAAA", kind: 1 };
    const node = createFakeNode({
      votes: [vote(1, "1000", { value: "VALUE_YES" }), vote(2, "2000", { value: "VALUE_YES" })],
      profiles: [profile],
      signatures: [signature],
      balances: [change(1, "1000"), change(2, "3000")],
      block: { height: 1n, timestamp: 3000n },
    });
    const before = node.records;
    // A vote that was cast before is written again in the block.
    node.nextBlock({
      votes: [vote(1, "1000", { value: "VALUE_NO" })],
      profiles: [{ ...profile, alias: "b" }],
      signatures: [{ ...signature, kind: 2 }],
      balances: [change(2, "3000", "2"), change(2, "3999", "3")],
    });
    const { votes, profiles, signatures, balances } = node.records;
    expect(votes.map(({ value }) => value)).toEqual(["VALUE_NO", "VALUE_YES"]);
    expect([profiles, signatures]).toEqual([[{ ...profile, alias: "b" }], [{ ...signature, kind: 2 }]]);
    expect(balances.map(({ balance }) => balance)).toEqual(["1", "3"]);
    const { edges } = await fetchPage<Vote>(node, `/api/v2/votes?proposalId=${hex(7)}`);
    expect(edges.map((edge) => edge.node.timestamp)).toEqual(["1000", "2000"]);
    // What a caller got before stays as it was.
    expect([before.profiles, before.balances.map(({ balance }) => balance)]).toEqual([[profile], ["1", "1"]]);
  });
});

type Mistake = [argument: string, words: string, data: unknown, options?: object];

test.each<["nextBlock" | "addRecords", ...Mistake]>([
  ["nextBlock", "data.balances[0].timestamp", "at or after 5000", { balances: [change(1, "4999")] }],
  ["nextBlock", "data.votes[0].blockTime", "at or after 5000", { votes: [vote(1, "6000", { blockTime: "1000" })] }],
  ["nextBlock", "data.balances[0].timestamp", "at or before 6000", { balances: [change(1, "7000")], block }],
  ["addRecords", "data.balances[0].timestamp", "at or after 5000", { balances: [change(1, "4999")] }],
  ["addRecords", "data.balances[0].timestamp", "at or before 5000", { balances: [change(1, "6000")] }],
  ["addRecords", "data.block", "because the block does not", { block }],
])("%s names `%s` as a mistake: %s, and changes nothing", (method, argument, words, data) => {
  const node = createFakeNode({ balances: [], block: { height: 1n, timestamp: 5000n } });
  const error = expect.objectContaining({ name: "ArgumentError", argument, message: expect.stringContaining(words) });
  expect(() => node[method](data as object)).toThrow(error);
  expect([node.block.height, node.records.balances]).toEqual([1n, []]);
});

test("spam statistics of an id in capitals are there for a client", async () => {
  const node = createFakeNode({ spamStatistics: { A11CE0: { epochSeq: "7" } } });
  const client = createClient({ baseUrl, fetch: node.fetch });
  expect((await client.getSpamStatistics({ partyId: "A11CE0" })).statistics?.epochSeq).toBe("7");
});

const late = { balances: [change(1, "2000")], block: { height: 1n, timestamp: 1000n } };
const faulty = (fault: object) => ({ faults: [fault] });
test.each<Mistake>([
  ["data.vote", "data has no option `vote`. Did you mean `votes`?", { vote: 1 }],
  ["data", "Expected `data` to be an object, got 7.", 7],
  ["data.votes", "to be an array of records, or how many to generate, got -1.", { votes: -1 }],
  ["data.votes[1]", "to be a record, got 5.", { votes: [{}, 5] }],
  ["data.votes[0].blockTime", "to be digits of", { votes: [vote(1, "1", { blockTime: "x" })] }],
  ["data.balances[0].party", "has no member `party`. Did you mean `partyId`?", { balances: [{ party: "aa" }] }],
  ["data.balances[1].balance", "to be an integer in digits, got 5n.", { balances: [change(1, "1"), { balance: 5n }] }],
  ["data.balances[0].balance", "to be an integer in digits, got 5.", { balances: [{ balance: 5 }] }],
  ["data.balances[0].balance", 'in digits, got "1.5".', { balances: [{ balance: "1.5" }] }],
  ["data.balances[0].accountType", "begins with ACCOUNT_TYPE_", { balances: [{ accountType: "general" }] }],
  ["data.votes[0].value", 'begins with VALUE_, got "YES".', { votes: [{ value: "YES" }] }],
  ["data.profiles[0].alias", "to be of type string, got null.", { profiles: [{ alias: null }] }],
  ["data.signatures[0].sig", 'to be base64, got "0xa1..".', { signatures: [{ sig: "0xa1.." }] }],
  ["data.spamStatistics.aa.vote", "Did you mean `votes`?", { spamStatistics: { aa: { vote: null } } }],
  ["data.spamStatistics.aa.epochSeq", "of type string, got 7n.", { spamStatistics: { aa: { epochSeq: 7n } } }],
  ["data.balances[0].timestamp", "before the year 2255", { balances: [change(1, "9223372036854775807")] }],
  ["data.balances[0].timestamp", "at or before 1000, the time of the current block", late],
  ["data.party", "to be an id", { party: "" }],
  ["faults", "`faults` belongs in the second argument of createFakeNode.", { votes: 3, faults: [] }],
  ["votes", "`votes` belongs in the first argument of createFakeNode.", {}, { lag: 1, votes: 3 }],
  ["options.defect", "createFakeNode has no option `defect`.", {}, { defect: [] }],
  ["options.defects[0]", 'to be "tied-vote-cursors" or', {}, { defects: ["unsized-cursors"] }],
  ["options.faults[0].name", 'to be "latency" or', {}, faulty({ name: "fire" })],
  ["options.faults[0].operation", '"listVotes" or', {}, faulty({ name: "reset", operation: "votes" })],
  ["options.faults[0].share", "a number from 0 to 1, got 2", {}, faulty({ name: "reset", share: 2 })],
  ["options.faults[0].status", "has no option `status`", {}, faulty({ name: "reset", status: 500 })],
  ["options.faults[0].milliseconds", "or Infinity, got -1.", {}, faulty({ name: "latency", milliseconds: -1 })],
  ["options.faults[0].status", "to be an HTTP status, got undefined.", {}, faulty({ name: "status" })],
  ["options.faults[0].milliseconds", "or Infinity, got undefined.", {}, faulty({ name: "latency" })],
  ["options.faults[0].request", "the number of a request", {}, faulty({ name: "reset", request: 0 })],
  ["options.faults[0].status", "to be an HTTP status, got 200.5.", {}, faulty({ name: "html", status: 200.5 })],
  ["options.faults[0].headers", "to be names and", {}, faulty({ name: "status", status: 429, headers: { "a b": "" } })],
  [
    "options.faults[0].headers",
    "to be names and",
    {},
    faulty({ name: "status", status: 429, headers: "retry-after: 9" }),
  ],
  ["options.faults[0].status", "to be an HTTP status, got 99.", {}, faulty({ name: "status", status: 99 })],
  ["options.rateLimit.requests", "has no option `requests`.", {}, { rateLimit: { requests: 5 } }],
  ["options.version", 'to be "v0.74" or "v0.79", got "v0.75".', {}, { version: "v0.75" }],
])("createFakeNode names `%s` as a mistake: %s", (argument, words, data, options) => {
  const error = expect.objectContaining({ name: "ArgumentError", argument, message: expect.stringContaining(words) });
  expect(() => createFakeNode(data as object, options)).toThrow(error);
});

test("configure keeps what it leaves out or gives as undefined", async () => {
  const node = createFakeNode({ profiles: 5 }, { rateLimit: undefined, defects: nodeDefects });
  node.configure({ defects: undefined, chainId: undefined });
  const path = "/api/v2/parties/profiles?pagination.first=2";
  const next = `${path}&pagination.after=${encodeURIComponent((await fetchPage(node, path)).pageInfo.endCursor)}`;
  expect((await fetchFrom(node, next)).status).toBe(500);
  expect((await fetchFrom(node, path)).headers.get("ratelimit-limit")).toBe("20");
});
