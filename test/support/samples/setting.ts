// The names that samples use without declaring them: a client of a node, and records of that node.
import {
  type BalanceChange,
  createClient,
  type ForwardPagination,
  type Transaction,
  type Vote,
} from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";

export const assetId = "fdf6c740e53075e212c6eac7913dc0c252da69fb6f562e973b7e7dea8b646c7b";
const market = "306ee27b932642227f92bf4bc8b90d35a454ff5d76474d5c224d322a51d20b66";

/** The changes of two accounts of a party, which the page on reports shows: a deposit, margin, and what trading brings. */
const accountChanges = (partyId: string): BalanceChange[] =>
  (
    [
      ["2024-01-03T10:00:00Z", "5000000000"],
      ["2024-01-10T12:00:00Z", "3800000000", "1200000000"],
      ["2024-01-22T09:30:00Z", undefined, "950000000"],
      ["2024-02-02T08:00:00Z", "4100000000", "1100000000"],
      ["2024-02-14T16:00:00Z", "4600000000"],
      ["2024-02-20T11:00:00Z", undefined, "1750000000"],
    ] as const
  ).flatMap(([time, general, margin]) => {
    const change = { timestamp: `${BigInt(Date.parse(time)) * 1_000_000n}` as const, partyId, assetId };
    return [
      ...(general ? [{ ...change, balance: general, marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" }] : []),
      ...(margin ? [{ ...change, balance: margin, marketId: market, accountType: "ACCOUNT_TYPE_MARGIN" }] : []),
    ];
  });

const generated = { votes: 300, profiles: 50, balances: 500, signatures: 60, spamStatistics: 50 };
const { votes, ...others } = createFakeNode(generated).records;
const balances = others.balances.filter(({ partyId }) => partyId !== votes[0]?.partyId);
/** Older than every range of the samples: a scan rejects a range that begins before the node's oldest record. */
const oldest = balances.slice(-1).map((balance) => ({ ...balance, timestamp: "1700000000000000000" as const }));
export const node = createFakeNode(
  { ...generated, balances: [...balances, ...oldest, ...accountChanges(votes[0]?.partyId ?? "")] },
  // A follower of votes reads block times from the cursors of v0.74 nodes.
  { rateLimit: false, defects: ["tied-vote-cursors"] },
);
/** A transaction in the form in which it is submitted. */
export const signedTransaction: Uint8Array<ArrayBuffer> = Uint8Array.of(10, 4, 8, 1, 16, 255);
/** In place of the global one: samples create clients without a `fetch`. */
export const fetch: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (request.url.startsWith("https://shop.example/")) return Response.json({ edges: [], pageInfo: null });
  // The fake node has the six operations alone.
  if (!request.url.endsWith("/transaction/raw/check")) return node.fetch(request);
  const { tx } = (await request.json()) as { tx: string };
  const isKnown = Buffer.from(tx, "base64").equals(signedTransaction);
  const texts = { data: "", log: "", info: "" };
  return Response.json({ success: isKnown, code: isKnown ? 0 : 60, gasWanted: "1", gasUsed: "0", ...texts });
};

export const baseUrl = "https://node.example";
export const client = createClient({ baseUrl, fetch });
export const vote = node.records.votes[0] as Vote;
export const { partyId, proposalId } = vote;
export const [signature = { id: "", sig: null, kind: 0 }] = node.records.signatures;
export const [change = { timestamp: "0" as const, balance: "0" }] = node.records.balances;
export const { id } = signature;
export const withdrawalId = id;
export const page = await client.listNodeSignatures({ id, pagination: { first: 5 } });
export const token = "Bearer abc";
export const tx: Transaction = {
  version: "TX_VERSION_V3",
  inputData: "CAEQh61L",
  pubKey: partyId,
  signature: { algo: "vega/ed25519", value: "0f".repeat(64), version: 1 },
  pow: { tid: "1a".repeat(32), nonce: "1" },
};
export const { signal } = new AbortController();
export const pagination: ForwardPagination = { first: 5 };
export const error: unknown = await client
  .listPartiesProfiles({ pagination: { first: 5001 } })
  .catch((reason: unknown) => reason);
export async function save(..._: unknown[]): Promise<void> {}
export const parties = [partyId];
/** A database, as far as samples use one. */
export const store = {
  load: async (): Promise<string | undefined> => undefined,
  transaction: async (run: () => Promise<void>): Promise<void> => run(),
  insert: save,
  saveCheckpoint: save,
};
