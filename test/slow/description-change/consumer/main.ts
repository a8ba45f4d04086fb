// A program that uses all that was added to the description. It prints what happened as JSON.
import { createClient, type Vote } from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";
import { validateAnswers } from "vegaprotocol-client/validate";

const baseUrl = "https://node.example";
const vote: Vote = {
  partyId: "ab",
  proposalId: "cd",
  timestamp: "1707497695123456000",
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "1",
  totalEquityLikeShareWeight: "0",
  reason: "because",
};
const assets = ["a", "b", "c", "d"].map((id) => ({ id, symbol: id === "b" ? "VEGA" : "USDT", decimals: 6 }));

const node = createFakeNode(
  { votes: [vote], assets },
  { faults: [{ name: "latency", milliseconds: 0, operation: "listAssets" }] },
);
const client = createClient({ baseUrl, fetch: node.fetch, validate: validateAnswers({ onMismatch: "throw" }) });

/** The requests that a call sends, by operation and address. */
async function requestsOf(call: () => PromiseLike<unknown>): Promise<[string | undefined, string][]> {
  node.requests.length = 0;
  await call();
  return node.requests.map(({ operation, url }) => [operation, decodeURIComponent(url.replace(baseUrl, ""))]);
}

/** The error that a call rejects with. */
async function errorOf(call: () => PromiseLike<unknown>): Promise<object> {
  try {
    await call();
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message, ...(error as object) };
  }
  return { name: "none" };
}

/** A client of a node with one response. */
const clientOf = (body: object) =>
  createClient({
    baseUrl,
    fetch: async () => Response.json(body),
    validate: validateAnswers({ onMismatch: "throw" }),
  });
const pageInfo = { startCursor: "a", endCursor: "a", hasNextPage: false, hasPreviousPage: false };

const { nodes: votes } = await client.listVotes({ proposalId: "cd", value: "VALUE_YES" });
const firstPage = await client.listAssets({ pagination: { first: 3, newestFirst: false } });
const secondPage = await firstPage.nextPage();
node.nextBlock({ assets: [{ id: "e", symbol: "USDT", decimals: 6 }] });

console.log(
  JSON.stringify({
    reason: votes[0]?.reason,
    pages: [firstPage.nodes, secondPage?.nodes].map((page) => page?.map(({ id }) => id)),
    filtered: (await client.listAssets({ filter: { ids: ["b", "c", "e"], symbol: "USDT" } }).toArray()).map(
      ({ id }) => id,
    ),
    requests: {
      votes: await requestsOf(() =>
        client.listVotes({ proposalId: "cd", value: "VALUE_YES", pagination: { first: 2 } }),
      ),
      pages: await requestsOf(() =>
        client.listAssets({ filter: { ids: ["a", "b", "e"] }, pagination: { first: 2 } }).toArray(),
      ),
      asset: await requestsOf(() => errorOf(() => client.getAsset({ assetId: "a b" }))),
    },
    errors: {
      value: await errorOf(() => client.listVotes({ proposalId: "cd", value: 5 as never })),
      ids: await errorOf(() => client.listAssets({ filter: { ids: "a" as never } })),
      misspelled: await errorOf(() => client.listAssets({ fliter: {} } as never)),
      member: await errorOf(() =>
        clientOf({ votes: { edges: [{ cursor: "a", node: { ...vote, reason: 7 } }], pageInfo } }).listVotes({
          partyId: "a",
        }),
      ),
      record: await errorOf(() =>
        clientOf({ assets: { edges: [{ cursor: "a", node: { id: "a", symbol: "A" } }], pageInfo } }).listAssets(),
      ),
      data: await errorOf(async () => createFakeNode({ assets: [7] as never })),
      asset: await errorOf(() => client.getAsset({ assetId: "a" })),
    },
  }),
);
