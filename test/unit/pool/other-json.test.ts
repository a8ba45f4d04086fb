import { describe, expect, test } from "vitest";
import { type ClientOptions, createClient } from "../../../src/index.js";
import { type NodePoolOptions, nodePool } from "../../../src/pool/index.js";
import { createFakeNetwork } from "../../../src/testing/index.js";
import { validateAnswers } from "../../../src/validate/index.js";

const partyId = "ab".repeat(32);
const urls = ["https://node-1.example", "https://node-2.example"];

const bodies: Record<string, string> = {
  "an empty object": "{}",
  "an array": "[]",
  null: "null",
  "the envelope of another operation": '{"rewards":{"edges":[],"pageInfo":null}}',
  "an envelope without a page": '{"votes":null,"balances":null,"signatures":null,"profiles":null,"chainId":"c"}',
  "an HTML page": "<!doctype html><title>Maintenance</title>",
};

/** A client of two nodes, of which the first one responds to everything with one status and body. */
function connect(body: string, options: Partial<ClientOptions> = {}, pool: NodePoolOptions = {}, status = 200) {
  const data = { nodes: 2, votes: 20, balances: 20, signatures: 20, profiles: 20 };
  const network = createFakeNetwork(data, { rateLimit: false });
  const nodes = nodePool(urls, pool);
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    asked.push(`${request.method} ${new URL(request.url).host}`);
    if (!request.url.startsWith("https://node-1.example/")) return network.fetch(request);
    return new Response(body, { status, headers: { "Content-Type": "application/json" } });
  };
  const client = createClient({ baseUrl: nodes, fetch, ...options });
  return { client, nodes, asked };
}

describe.each(Object.entries(bodies))("a node of a pool that responds with status 200 and %s", (_, body) => {
  test("fails none of 200 calls, and cools down", async () => {
    const { client, nodes } = connect(body);
    for (let call = 0; call < 50; call++) {
      expect(await client.getSpamStatistics({ partyId })).toHaveProperty("statistics");
      expect((await client.listVotes({ partyId })).pageInfo).not.toBeNull();
      expect((await client.listNodeSignatures({ id: "a1" })).pageInfo).not.toBeNull();
      expect((await client.listPartiesProfiles()).pageInfo).not.toBeNull();
    }
    expect(nodes.status.map(({ state }) => state)).toEqual(["cooling-down", "ready"]);
    expect(nodes.status[0]?.error).toContain("does not match the OpenAPI description");
  });

  test("takes nothing from walks and scans, is cooling down for `nodes.check`, and gets no transaction to check", async () => {
    const { client, nodes, asked } = connect(body, {}, { order: "given" });
    expect(await client.listPartiesProfiles({ pagination: { first: 5 } }).toArray()).toHaveLength(20);
    expect(await client.scanBalanceChanges().toArray()).toHaveLength(20);
    expect((await nodes.check()).map(({ state }) => state)).toEqual(["cooling-down", "ready"]);
    await client.checkTransaction({ tx: { version: "TX_VERSION_V3" } as never });
    expect(asked.filter((each) => each.startsWith("POST"))).toEqual(["POST node-2.example"]);
  });
});

test("a node of a pool whose records have another shape than the validator expects is left for another node", async () => {
  const body = JSON.stringify({ chainId: "c", statistics: { proposals: 5 } });
  const { client, nodes } = connect(body, { validate: validateAnswers({ onMismatch: "throw" }) }, { order: "given" });
  expect((await client.getSpamStatistics({ partyId })).statistics).not.toHaveProperty("proposals", 5);
  const error = expect.stringContaining("statistics.epochSeq");
  expect(nodes.status[0]).toMatchObject({ state: "cooling-down", error });
});

test.each([400, 405, 407, 451, 511, 522])(
  "a node of a pool whose proxy responds with status %i is left for another node",
  async (status) => {
    const { client, nodes } = connect("<p>Blocked</p>", {}, { order: "given" }, status);
    for (let call = 0; call < 20; call++) await client.getSpamStatistics({ partyId });
    expect(nodes.status.map(({ state }) => state)).toEqual(["cooling-down", "ready"]);
  },
);

test.each([413, 414, 431])(
  "a status %i is an error at once: every proxy would find the request too large",
  async (status) => {
    const { client, asked } = connect("<p>Too large</p>", {}, { order: "given" }, status);
    await expect(client.getSpamStatistics({ partyId })).rejects.toMatchObject({ status });
    expect(asked).toHaveLength(1);
  },
);

test("a body that is too large for `maxResponseSize` is an error at once, which no other node would mend", async () => {
  const { client, nodes, asked } = connect(`{"x":"${"x".repeat(200)}"}`, { maxResponseSize: 100 }, { order: "given" });
  await expect(client.getSpamStatistics({ partyId }, { node: urls[0] })).rejects.toThrow("more than 100 bytes");
  expect(asked).toHaveLength(1);
  expect(nodes.status[0]?.state).toBe("ready");
});
