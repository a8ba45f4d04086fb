/** A node with hostile names, and how the page shows amounts and times of its records. */
import { formatUnits } from "vegaprotocol-client";
import type { statement } from "vegaprotocol-client/reports";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { overDays } from "../../../../test/support/over-days.js";
import { listing, withPaths } from "../../support/changes.js";

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
const decimals = new Map(Object.entries({ [vegaId]: 18, [otherId]: 6 }));
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

export const shown = (amount: string | undefined, assetId: string) => {
  if (amount === undefined) return "unknown";
  const [whole = "", fraction] = formatUnits(amount, decimals.get(assetId) ?? 0).split(".");
  const grouped = BigInt(whole).toLocaleString("en");
  return fraction === undefined ? grouped : `${whole === "-0" ? "-0" : grouped}.${fraction}`;
};
export const time = (digits: string | undefined) =>
  digits ? new Date(Number(BigInt(digits) / 1_000_000n)).toISOString().slice(0, 19).replace("T", " ") : "unknown";

/** A random element, except of an empty array. */
export const anyOf = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T;

/** A random range between two of some records. */
export const rangeIn = (records: readonly { timestamp: string }[]) => {
  const [one, other] = [BigInt(anyOf(records).timestamp), BigInt(anyOf(records).timestamp)];
  return one < other ? ([one, other] as const) : ([other, one] as const);
};

const inUnits = (assetId: string) => (amount: string | undefined) => shown(amount, assetId);

/** The rows of a statement as the page shows them. */
export const entriesOf = (accounts: Awaited<ReturnType<typeof statement>>, from: bigint, to: bigint) =>
  accounts.flatMap(({ opening, closing, lines, assetId }) => [
    [time(`${from}`), "Opening", "", shown(opening, assetId)],
    ...lines.map((line) => [time(line.timestamp), "Change", ...[line.change, line.balance].map(inUnits(assetId))]),
    [time(`${to}`), "Closing", "", shown(closing, assetId)],
  ]);
