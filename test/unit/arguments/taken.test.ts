import { describe, expect, test } from "vitest";
import { createClient, paginate } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { recorder } from "../../support/recorder.js";

const baseUrl = "https://node.example";

/** A client whose requests are recorded. */
function connect() {
  const node = createFakeNode({ votes: 40, signatures: 30, balances: 200 });
  const { fetch, sent } = recorder(node.fetch);
  return { node, client: createClient({ baseUrl, fetch }), sent };
}

describe("a call takes its arguments when it is made:", () => {
  test("a change afterwards changes nothing", async () => {
    const { client, sent } = connect();
    const query = { partyId: "be" };
    const headers: Record<string, string> = { "x-job": "before" };
    const read = client.getSpamStatistics(query, { headers });
    const tx = { pow: { nonce: "1" }, later: [{ a: 1 }] };
    const check = client.checkTransaction({ tx });
    query.partyId = "af";
    headers["x-job"] = "after";
    tx.pow.nonce = "2";
    tx.later[0] = { a: 2 };
    await Promise.allSettled([read, check]);
    expect(sent[0]).toMatchObject({ url: `${baseUrl}/statistics/spam/be`, headers: { "x-job": "before" } });
    expect(JSON.parse(sent[1]?.body ?? "")).toEqual({ tx: { pow: { nonce: "1" }, later: [{ a: 1 }] } });
  });

  test("a listing reads the same list each time that it is used", async () => {
    const { node, client, sent } = connect();
    const query = { id: node.records.signatures[0]?.id ?? "", pagination: { first: 4 } };
    const options = { maxItems: 6, headers: { "x-job": "before" } };
    const listing = client.listNodeSignatures(query, options);
    Object.assign(query, { id: "aa01" }).pagination.first = 1;
    Object.assign(options, { maxItems: 1 }).headers["x-job"] = "after";
    const signatures = await listing.toArray();
    const requests = sent.splice(0);
    query.id = "aa02";
    expect(await listing.toArray()).toEqual(signatures);
    expect(signatures).toHaveLength(6);
    expect(sent).toEqual(requests);
    expect(sent.map(({ headers }) => headers["x-job"])).toEqual(["before", "before"]);
  });

  test("a scan reads the same range each time that it is used", async () => {
    const { node, client } = connect();
    const { assetId, timestamp } = node.records.balances[50] ?? { assetId: "", timestamp: "0" };
    const start = new Date(Number(BigInt(timestamp) / 1_000_000n));
    const query = { filter: { assetId }, dateRange: { startTimestamp: start } };
    const options = { maxItems: 3, missingHistory: "ignore" as const };
    const scan = client.scanBalanceChanges(query, options);
    start.setTime(Date.now());
    query.filter.assetId = "cafe";
    options.maxItems = 1;
    const records = await scan.toArray();
    expect(records).toHaveLength(3);
    expect(await scan.toArray()).toEqual(records);
  });

  test("a walk over any list begins and ends where its arguments said", async () => {
    const requests: unknown[] = [];
    const fetchPage = async (page: object) => {
      requests.push(page);
      return { edges: [1, 2, 3].map((node) => ({ cursor: `${node}`, node })), pageInfo: null };
    };
    const pagination = { first: 2, after: "before" };
    const options = { maxItems: 2 };
    const walk = paginate(fetchPage, pagination, options);
    pagination.after = "after";
    options.maxItems = 1;
    expect(await walk.toArray()).toEqual([1, 2]);
    expect(requests).toEqual([{ first: 2, after: "before" }]);
  });
});
