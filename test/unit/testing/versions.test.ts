import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { BalanceChange } from "../../../src/index.js";
import { createFakeNetwork, createFakeNode, type FakeNode, nodeDefects } from "../../../src/testing/index.js";
import { fetchFrom, fetchPage, hex } from "../../support/raw-requests.js";

const day = 86_400n * 1_000_000_000n;
const minimum = BigInt(Date.UTC(2020, 0, 1)) * 1_000_000n;
const time = BigInt(Date.UTC(2024, 1, 9)) * 1_000_000n;
const oldType = "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION";
const change = (party: number, more: Partial<BalanceChange> = {}) => {
  return { timestamp: `${time}` as const, partyId: hex(party), assetId: hex(9), marketId: "", ...more };
};
const range = (...ends: [start?: bigint, end?: bigint]) =>
  ["start", "end"].flatMap((name, at) => (ends[at] ? `dateRange.${name}Timestamp=${ends[at]}` : [])).join("&");
const list = "/api/v2/balance/changes?";
const encode = (content: object) => encodeURIComponent(btoa(JSON.stringify(content)));

/** A node of v0.79 and one of v0.74, on one chain. */
function twoVersions(balances: readonly Partial<BalanceChange>[]) {
  const data = { nodes: [{}, { version: "v0.74" }], balances } as const;
  const { nodes } = createFakeNetwork(data, { version: "v0.79", defects: nodeDefects, rateLimit: false });
  return nodes as readonly FakeNode[] as readonly [FakeNode, FakeNode];
}

/** The status of a balance request, or what its error says. */
async function outcome(node: FakeNode, query: string): Promise<string | number> {
  const { status, body } = await fetchFrom(node, list + query);
  if (status === 200) return body.balances.edges.length;
  const [{ code, message, inner } = {} as Record<string, unknown>] = body.details;
  return code === undefined ? body.message : `${status} ${code} ${message}: ${inner}`;
}

describe("a fake node of v0.79", () => {
  const invalid = (problem: string) => `400 10000 invalid date range: ${problem}`;
  const [required, tooLong] = [invalid("date range is required"), invalid("date range is too long")];
  const early = invalid("date range start must be after 2020-01-01");
  const now = Number(time / 1_000_000n) + 1000;
  const nowInNanoseconds = BigInt(now) * 1_000_000n;
  const node = createFakeNode({ balances: [change(1)] }, { version: "v0.79", now: () => now, rateLimit: false });

  test.each<[outcome: string | number, start?: bigint | undefined, end?: bigint]>([
    [required],
    [1, time, time + 1000n],
    // The longest range is of 365 days, to the nanosecond.
    [1, time + 1000n - 365n * day, time + 1000n],
    [tooLong, time + 999n - 365n * day, time + 1000n],
    // An open end is the clock of the node.
    [1, nowInNanoseconds - 365n * day],
    [tooLong, nowInNanoseconds - 365n * day - 1n],
    // An open start is the minimum, which is a start itself.
    [0, undefined, minimum + 365n * day],
    [tooLong, undefined, minimum + 365n * day + 1n],
    [early, minimum - 1n, minimum],
    [early, undefined, minimum - 1n],
    [invalid("date range start must be before end"), time + 1n, time],
  ])("responds with %s to a range from %s to %s", async (expected, start, end) => {
    expect(await outcome(node, range(start, end))).toBe(expected);
  });

  test("needs no range with a cursor in the direction of the page, and checks one that is sent with it", async () => {
    const cursor = encode({ vega_time: "2024-02-10T00:00:00Z" });
    expect(await outcome(node, `pagination.after=${cursor}`)).toBe(1);
    expect(await outcome(node, `pagination.last=2&pagination.before=${cursor}`)).toBe(0);
    expect(await outcome(node, `pagination.first=2&pagination.before=${cursor}`)).toBe(required);
    expect(await outcome(node, `pagination.after=${cursor}&${range(undefined, time)}`)).toBe(tooLong);
  });

  test("splits the ids of a filter at commas, which a node of v0.74 rejects", async () => {
    const [newer, older] = twoVersions([1, 2, 3].map((party) => change(party)));
    const query = range(time, time + 1000n);
    const problem = "one or more party id is invalid";
    expect(await outcome(newer, `${query}&filter.partyIds=${hex(1)},${hex(3)}&filter.partyIds=${hex(1)}`)).toBe(2);
    expect(await outcome(newer, `${query}&filter.partyIds=${hex(1)},`)).toContain(problem);
    expect(await outcome(older, `${query}&filter.partyIds=${hex(1)},${hex(3)}`)).toContain(problem);
  });

  test("sends `elsPerMarket` and `derivedKeys`, also in `records`", async () => {
    const perMarketEquityLikeShareWeight = { [hex(4)]: "0.25", [hex(3)]: "0.5" };
    const data = { votes: [{ partyId: hex(1), perMarketEquityLikeShareWeight }], profiles: [{ partyId: hex(1) }] };
    const [newer, older] = [createFakeNode(data, { version: "v0.79" }), createFakeNode(data)];
    const read = async (node: FakeNode, path: string) => (await fetchPage(node, path)).edges.map((edge) => edge.node);
    const [{ perMarketEquityLikeShareWeight: _, ...vote } = {}] = older.records.votes;
    const elsPerMarket = ["0.5", "0.25"].map((els, index) => ({ marketId: hex(3 + index), els }));
    const [votes, profiles] = [[{ ...vote, elsPerMarket }], [{ ...older.records.profiles[0], derivedKeys: [] }]];
    expect(await read(newer, `/api/v2/votes?partyId=${hex(1)}`)).toEqual(votes);
    expect(await read(newer, "/api/v2/parties/profiles")).toEqual(profiles);
    expect(newer.records).toMatchObject({ votes, profiles });
    expect(await read(older, `/api/v2/votes?partyId=${hex(1)}`)).toMatchObject([{ perMarketEquityLikeShareWeight }]);
    newer.configure({ version: "v0.74" });
    expect(newer.records).toEqual(older.records);
  });

  test("sends a type that it does not know as its number, and sorts it by the id of its name", async () => {
    const [newer, older] = twoVersions([1, 2, 3, 4, 5, 6].map((party) => change(party, { accountType: oldType })));
    const idOf = ({ assetId, partyId, marketId }: BalanceChange) =>
      createHash("sha256").update(`${assetId}${partyId}${marketId}${oldType}`).digest("hex");
    const sorted = [...older.records.balances].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    const path = `${list}${range(time, time + 1000n)}&pagination.newestFirst=false`;
    const { edges } = await fetchPage<BalanceChange>(newer, path);
    expect(edges.map((edge) => edge.node)).toEqual(sorted.map((each) => ({ ...each, accountType: 24 })));
    for (const { cursor } of edges) expect(JSON.parse(atob(cursor))).toMatchObject({ Type: 24, AccountID: null });
    expect(newer.records.balances[0]?.accountType).toBe(24);
    expect(older.records.balances[0]?.accountType).toBe(oldType);
    expect(await outcome(older, `filter.accountTypes=${oldType}`)).toBe(6);
  });

  test.each([oldType, "24"])("rejects the type %s as a filter", async (type) => {
    const problem = `parsing field "filter.accountTypes": "${type}" is not a valid value`;
    expect(await outcome(node, `${range(time, time)}&filter.accountTypes=${type}`)).toBe(problem);
  });
});
