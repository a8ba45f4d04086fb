// A program that uses all that was added to the description.
import { deepEqual, rejects } from "node:assert/strict";
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
const validate = validateAnswers({ onMismatch: "throw" });
const node = createFakeNode({ votes: [vote] });
const pageInfo = { startCursor: "a", endCursor: "d", hasNextPage: false, hasPreviousPage: false };
const urls: string[] = [];
const client = createClient({
  baseUrl,
  validate,
  fetch: async (request) => {
    urls.push(request.url);
    if (new URL(request.url).pathname !== "/api/v2/assets") return node.fetch(request);
    // The fake node does not implement the list.
    const edges = assets.map((asset) => ({ cursor: asset.id, node: asset }));
    return Response.json({ assets: { edges, pageInfo } });
  },
});
const sent = () => urls.splice(0).map((url) => decodeURIComponent(url.replace(baseUrl, "")));

// The client sends the filter of the list, the parameter, and the parameter of the path.
const filter = { ids: ["aa", "bb", "cc", "dd"] };
deepEqual(await client.listAssets({ filter, pagination: { first: 5 } }).toArray(), assets);
deepEqual(sent(), ["/api/v2/assets?filter.ids=aa&filter.ids=bb&filter.ids=cc&filter.ids=dd&pagination.first=5"]);
const { nodes } = await client.listVotes({ proposalId: "cd", value: "VALUE_YES", pagination: { first: 2 } });
deepEqual([nodes[0]?.reason, sent()], ["because", ["/api/v2/votes?proposalId=cd&value=VALUE_YES&pagination.first=2"]]);
const message = /The fake node does not implement getAsset\./;
await rejects(client.getAsset({ assetId: "abcd" }), { name: "ApiError", status: 501, message });
deepEqual(sent(), ["/api/v2/assets/abcd"]);

// Arguments are checked at run time, and so are responses.
const refused = (argument: string) => ({ name: "ArgumentError", argument });
await rejects(client.listVotes({ proposalId: "cd", value: 5 as never }).toArray(), refused("value"));
await rejects(client.listAssets({ filter: { ids: "a" as never } }).toArray(), refused("filter.ids"));
const edges = [{ cursor: "a", node: { ...vote, reason: 7 } }];
const body = { votes: { edges, pageInfo: { ...pageInfo, endCursor: "a" } } };
const wrong = createClient({ baseUrl, fetch: async () => Response.json(body), validate });
await rejects(wrong.listVotes({ partyId: "aa" }).toArray(), {
  message: /expected `votes\.edges\[0\]\.node\.reason` to be a string, got 7/,
});

// @ts-expect-error: not a name of a value.
client.listVotes({ proposalId: "aa", value: "yes" });
// @ts-expect-error: the member can be missing.
export const { length } = vote.reason;
