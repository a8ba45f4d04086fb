/** A node with hostile names. */
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { overDays } from "../../../../test/support/over-days.js";
import { listing, withPaths } from "../../support/nodes.js";

export const hostile = `<img src=x onerror="alert(1)">\u202e&amp;`;
const data = { balances: 3000, votes: 300, profiles: 5, spamStatistics: 9, seed: 7 };
export const generated = createFakeNode(data).records;
export const balances = overDays(generated.balances, 20n);
export const people = [...new Set(balances.map(({ partyId = "" }) => partyId))].filter((id) => id !== "network");
export const [someone = ""] = people;
export const profiles = [...generated.profiles, { partyId: someone, alias: hostile, metadata: [] }];
export const proposalId = generated.votes[0]?.proposalId ?? "";
export const votes = generated.votes.filter((vote) => vote.proposalId === proposalId);
export const [vegaId = "", otherId = ""] = new Set(balances.map(({ assetId }) => assetId));
/** The third asset has no symbol. */
export const decimals = new Map(Object.entries({ [vegaId]: 18, [otherId]: 6 }));
const assets = [...decimals].map(([id, places], index) => {
  return { id, details: { symbol: index === 0 ? "VEGA" : hostile, decimals: `${places}` } };
});

/** A node with records, which also has assets, and what other data there is. */
export function createNode(data: Parameters<typeof createFakeNode>[0], options: object = {}) {
  const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false, ...options });
  const others = {
    ...listing(...assets),
    "/api/v2/governance": { data: { proposal: { requiredMajority: "0.5", rationale: { title: hostile } } } },
  };
  return { ...node, ...withPaths(node, others) };
}
