// The tests of each runtime: the installed package against a node on loopback. Nothing here belongs to one runtime.
import {
  ApiError,
  ArgumentError,
  createClient,
  ResponseError,
  toBytes,
  toDate,
  toNanoseconds,
} from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { validateAnswers } from "vegaprotocol-client/validate";

function equal(actual, expected) {
  const [a, b] = [actual, expected].map((value) =>
    JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each)),
  );
  if (a !== b) throw new Error(`Expected ${b}, got ${a}.`);
}

const rejection = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Expected a rejection.");
};

/** @type {Record<string, (baseUrl: string) => Promise<void>>} */
const tests = {
  "calls all six operations": async (baseUrl) => {
    const client = createClient({ baseUrl, validate: validateAnswers({ onMismatch: "throw" }) });
    const profiles = await client.listPartiesProfiles({ pagination: { first: 5 } });
    equal([profiles.nodes.length, profiles.response.status, typeof profiles.block?.height], [5, 200, "bigint"]);
    const partyId = profiles.nodes[0].partyId;
    equal((await client.getSpamStatistics({ partyId })).chainId, "vega-fake-0011");
    const votes = await client.listVotes({ partyId });
    equal(votes.nodes[0].partyId, partyId);
    const { nodes } = await client.listBalanceChanges({ filter: { accountTypes: ["ACCOUNT_TYPE_GENERAL"] } });
    equal(new Set(nodes.map(({ accountType }) => accountType)).size, 1);
    equal(toDate(nodes[0].timestamp).getUTCFullYear(), 2024);
    const signatures = await client.listNodeSignatures({ id: nodes[0].assetId }).toArray();
    equal(toBytes(signatures[0].sig).length, 65);
    const tx = {
      version: "TX_VERSION_V3",
      inputData: "CAEQh61L",
      pubKey: partyId,
      signature: { algo: "vega/ed25519", value: "0f".repeat(64), version: 1 },
      pow: { tid: Array.from({ length: 64 }, () => Math.floor(Math.random() * 16).toString(16)).join(""), nonce: "1" },
    };
    const { data, response } = await client.checkTransaction({ tx }).withResponse();
    equal([data.success, response.status], [true, 200]);
    equal((await client.checkTransaction({ tx })).code, 89);
  },
  "walks page after page, in both directions": async (baseUrl) => {
    const client = createClient({ baseUrl });
    for (const pagination of [{ first: 30 }, { last: 30 }]) {
      equal((await client.listPartiesProfiles({ pagination }).toArray()).length, 100);
      let records = 0;
      for await (const profile of client.listPartiesProfiles({ pagination }))
        if (profile.partyId && ++records === 45) break;
      equal(records, 45);
    }
  },
  "scans a range without cursors": async (baseUrl) => {
    const changes = await createClient({ baseUrl }).scanBalanceChanges({}, { pageSize: 300, concurrency: 3 }).toArray();
    equal(changes.length, 1000);
    const times = changes.map(({ timestamp }) => toNanoseconds(timestamp));
    equal(
      times.every((time, index) => index === 0 || times[index - 1] <= time),
      true,
    );
  },
  "distinguishes errors": async (baseUrl) => {
    const client = createClient({ baseUrl, retry: false });
    const refused = await rejection(client.listPartiesProfiles({ pagination: { first: 5001 } }));
    equal([ApiError.is(refused), refused.status, refused.codeName], [true, 400, "INVALID_ARGUMENT"]);
    equal(ArgumentError.is(await rejection(client.listVotes({}))), true);
    const elsewhere = createClient({ baseUrl: `${baseUrl}/html`, retry: false });
    equal(ResponseError.is(await rejection(elsewhere.getSpamStatistics({ partyId: "aa" }))), true);
  },
  "tries again, stays within a deadline and ends with an abort": async (baseUrl) => {
    const events = [];
    const observe = ({ type }) => events.push(type);
    const flaky = createClient({ baseUrl: `${baseUrl}/flaky`, retry: { baseDelay: 1 }, observe });
    equal((await flaky.getSpamStatistics({ partyId: "aa" })).chainId, "vega-fake-0011");
    equal(events.join(), "attempt,response,retry,attempt,response");
    const slow = createClient({ baseUrl: `${baseUrl}/slow`, retry: false });
    const late = await rejection(slow.getSpamStatistics({ partyId: "aa" }, { timeout: 30 }));
    equal([late.name, late.scope], ["TimeoutError", "attempt"]);
    const controller = new AbortController();
    const aborted = rejection(slow.getSpamStatistics({ partyId: "aa" }, { signal: controller.signal }));
    controller.abort(new Error("enough"));
    equal((await aborted).message, "enough");
  },
  "has a node of its own for tests": async () => {
    const node = createFakeNode({ votes: 60, balances: 500 }, { defects: nodeDefects });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const [{ proposalId }] = node.records.votes;
    const cast = node.records.votes.filter((vote) => vote.proposalId === proposalId);
    equal((await client.listVotes({ proposalId, pagination: { first: 5 } }).toArray()).length, cast.length);
    equal((await client.scanBalanceChanges().toArray()).length, 500);
    equal(node.requests.length > 2, true);
  },
};

/** Runs them all, and says of each what went wrong. */
export async function run(baseUrl) {
  const results = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(baseUrl);
      results.push({ name, error: null });
    } catch (error) {
      results.push({ name, error: `${error?.stack ?? error}` });
    }
  }
  return results;
}
