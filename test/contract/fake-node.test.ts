// The requests of the client and the responses of the fake node, held against `openapi.yaml`: Prism's validating proxy between the
// two reports differences.
import { afterAll, describe, expect, test } from "vitest";
import { ApiError, createClient } from "../../src/index.js";
import { createFakeNode } from "../../src/testing/index.js";
import { serveValidated } from "../support/prism.js";
import { transaction } from "../support/raw-requests.js";
import { recorder, rejectionOf } from "../support/recorder.js";

const data = { votes: 45, profiles: 15, balances: 70, signatures: 30, spamStatistics: 5 };
const node = createFakeNode(data, { rateLimit: false });
const proxy = await serveValidated(node.fetch);
const traffic = recorder();
const client = createClient({ baseUrl: proxy.url, fetch: traffic.fetch, retry: false });
afterAll(() => proxy.close());

/** Every response since the last call, and no violation in any of them. */
function expectNoViolation(responses: number): void {
  expect(traffic.responses.length).toBeGreaterThanOrEqual(responses);
  const found = traffic.responses.map(({ headers }, index) => [traffic.sent[index]?.url, headers.get("sl-violations")]);
  expect(found.filter(([, violations]) => violations !== null)).toEqual([]);
  traffic.responses.length = 0;
  traffic.sent.length = 0;
}

describe("between client and fake node, Prism reports no violation", () => {
  test("in walks over every list, in both directions", async () => {
    const [vote] = node.records.votes;
    const [signature] = node.records.signatures;
    for (const pagination of [{ first: 7 }, { last: 7 }, { first: 7, newestFirst: false }]) {
      const lists = [
        [client.listVotes({ proposalId: vote?.proposalId ?? "", pagination }), 15],
        [client.listPartiesProfiles({ pagination }), 15],
        [client.listBalanceChanges({ pagination }), 70],
        [client.listNodeSignatures({ id: signature?.id ?? "", pagination }), 10],
      ] as const;
      for (const [list, count] of lists) expect(await list.toArray()).toHaveLength(count);
    }
    expectNoViolation(3 * 17);
  });

  test("in filters, ranges, scans and lists of some parties", async () => {
    const { partyId = "", marketId = "", assetId = "", timestamp } = node.records.balances.at(40) ?? {};
    const filter = {
      assetId,
      partyIds: [partyId, "network", "ab".repeat(32)],
      marketIds: [marketId, "cd".repeat(32)].filter(Boolean),
      accountTypes: ["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_MARGIN"] as const,
    };
    await client.listBalanceChanges({ filter, dateRange: { endTimestamp: timestamp } }).toArray();
    expect(await client.scanBalanceChanges({}, { pageSize: 30 }).toArray()).toHaveLength(70);
    const parties = [...node.records.profiles.map((each) => each.partyId), "ef".repeat(32)];
    expect(await client.listPartiesProfiles({ parties }).toArray()).toHaveLength(15);
    expectNoViolation(5);
  });

  test("in spam statistics and checks, with every code", async () => {
    for (const partyId of [...Object.keys(node.records.spamStatistics), "ab", "network"])
      await client.getSpamStatistics({ partyId });
    await client.checkTransaction({ tx: transaction });
    await client.checkTransaction({ tx: transaction });
    await client.checkTransaction({ tx: {} });
    for (const code of [51, 60, 70, 80, 89] as const) {
      node.configure({ checkCode: () => code });
      const pow = { tid: `${code}`.repeat(32), nonce: "1" };
      expect((await client.checkTransaction({ tx: { ...transaction, pow } })).code).toBe(code);
    }
    expectNoViolation(15);
  });

  test("in errors: a bad cursor, a page that is too large, a rate limit and a ban", async () => {
    const statuses: unknown[] = [];
    const fail = async (call: PromiseLike<unknown>) => {
      const error = await rejectionOf(call);
      statuses.push(ApiError.is(error) && error.status);
    };
    await fail(client.listPartiesProfiles({ pagination: { first: 5001 } }));
    await fail(client.listNodeSignatures({ id: "aa", pagination: { after: "damaged" } }));
    for (const status of [408, 500, 503, 504]) {
      node.configure({ faults: [{ name: "status", status }] });
      await fail(client.getSpamStatistics({ partyId: "aa" }));
      await fail(client.listVotes({ partyId: "ab" }));
      await fail(client.checkTransaction({ tx: transaction }));
    }
    node.configure({ faults: [], now: () => 0, rateLimit: { burst: 1, refusals: 1 } });
    const unpaced = createClient({ baseUrl: proxy.url, fetch: traffic.fetch, retry: false, pacing: false });
    await unpaced.listVotes({ partyId: "ab" });
    for (let request = 0; request < 2; request++) await fail(unpaced.listVotes({ partyId: "ab" }));
    expect(statuses).toEqual([400, 400, 408, 408, 408, 500, 500, 500, 503, 503, 503, 504, 504, 504, 429, 403]);
    node.configure({ rateLimit: false });
    expectNoViolation(16);
  });

  test("but reports a request or a response that does not match the description", async () => {
    const bad = await traffic.fetch(new Request(`${proxy.url}/api/v2/votes?partyId=a&pagination.first=all`));
    expect(bad.headers.get("sl-violations")).toContain("pagination.first");
    const body = { balances: { edges: [{ cursor: "", node: { timestamp: "5", balance: 7 } }] } };
    const faults = [{ name: "status", status: 200, body }] as const;
    const malformed = await serveValidated(createFakeNode({}, { faults }).fetch);
    const response = await fetch(`${malformed.url}/api/v2/balance/changes`);
    expect(response.headers.get("sl-violations")).toContain("balance");
    await malformed.close();
  });
});
