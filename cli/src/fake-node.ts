/** What the fake node of the command line also has: assets and proposals, a live chain, and a month of records. */
import { createHash } from "node:crypto";
import { formatUnits, type Vote } from "vegaprotocol-client";
import type { FakeNode } from "vegaprotocol-client/testing";
import { day } from "./times.js";

const details = [["VEGA", "18"] as const, ["DAI", "18"] as const, ["KSM", "12"] as const];

/** The thresholds of each proposal, like the network parameters `governance.proposal.freeform`. */
const thresholds = { requiredParticipation: "0.00001", requiredMajority: "0.66" };

/**
 * A node that also responds to `/api/v2/assets` and `/api/v2/governance?proposalId=ID`.
 *
 * @param later - Assets of blocks to come.
 */
export function withOtherPaths(node: FakeNode, later: readonly string[] = []): Pick<FakeNode, "fetch"> {
  const { balances, signatures } = node.records;
  const known = [...balances.map(({ assetId = "" }) => assetId), ...signatures.map(({ id }) => id)];
  const ids = [...new Set([...known, ...later])].sort();
  const edges = ids.reverse().map((id, index) => {
    const [symbol, decimals] = details[index] ?? [`ASSET${index}`, "18"];
    const node = { id, details: { symbol, name: symbol, decimals, quantum: "1" }, status: "STATUS_ENABLED" };
    return { node, cursor: id };
  });

  function assets(query: URLSearchParams): object {
    const start = edges.findIndex(({ cursor }) => cursor === query.get("pagination.after")) + 1;
    const page = edges.slice(start, start + Number(query.get("pagination.first") ?? 1000));
    const pageInfo = {
      hasNextPage: start + page.length < edges.length,
      hasPreviousPage: start > 0,
      startCursor: page[0]?.cursor ?? "",
      endCursor: page.at(-1)?.cursor ?? "",
    };
    return { assets: { edges: page, pageInfo } };
  }

  /** The body of a response, which has a `code` if it is an error. */
  function respond(url: URL): object | undefined {
    if (url.pathname === "/api/v2/assets") return assets(url.searchParams);
    if (url.pathname !== "/api/v2/governance") return undefined;
    const id = url.searchParams.get("proposalId")?.toLowerCase();
    const { votes } = node.records;
    if (votes.some(({ proposalId }) => proposalId === id)) {
      const isClosed = votes.some((vote) => vote.proposalId === id && Number(vote.totalGovernanceTokenWeight) > 0);
      const state = isClosed ? "STATE_ENACTED" : "STATE_OPEN";
      return { data: { proposal: { id, reference: "", state, ...thresholds } } };
    }
    // As v0.74 nodes respond.
    const detail = { "@type": "type.googleapis.com/vega.ErrorDetail", code: 170001, message: "failed to get proposal" };
    return { code: 5, message: "NotFound error", details: [{ ...detail, inner: "no resource" }] };
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const body = respond(new URL(request.url));
      if (body === undefined) return node.fetch(request);
      // The limits, the headers and the faults are the same as for a list.
      const address = new URL("/api/v2/balance/changes?pagination.first=1&filter.partyIds=network", request.url);
      const own = await node.fetch(new Request(address, { headers: request.headers, signal: request.signal }));
      if (!own.ok) return own;
      return new Response(JSON.stringify(body), { status: "code" in body ? 404 : 200, headers: own.headers });
    },
  };
}

const blocksOfProposal = 20;

/**
 * The chain of `fake-node --block-every`: balances change, parties vote, and proposals open and close.
 *
 * @param party - Has a balance change in each block, and a vote on each proposal.
 * @returns a function that ends the current block, with records in it.
 */
export function liveChain(
  chain: Pick<FakeNode, "block" | "addRecords" | "nextBlock">,
  { blockTime, seed, party }: { blockTime: bigint; seed: number; party?: string | undefined },
): () => void {
  const hashOf = (name: string) => createHash("sha256").update(`${seed}/${name}`).digest("hex");
  const amountOf = (name: string) => `${BigInt(`0x${hashOf(name).slice(0, 10)}`) * 10n ** 12n}` as const;
  // A node that lags does not show the block of its chain.
  let { height, timestamp } = chain.block;
  let blocks = 0;
  let cast: Vote[] = [];

  const castVotes = (proposal: number, age: number): Vote[] =>
    Array.from({ length: 1 + (blocks % 3) }, (_, index) => {
      const voter = 3 * age + index;
      const name = `vote ${proposal} ${voter}`;
      return {
        partyId: voter === 0 && party !== undefined ? party : hashOf(`party ${voter}`),
        proposalId: hashOf(`proposal ${proposal}`),
        timestamp: `${timestamp}`,
        value: Number(`0x${hashOf(name).slice(-1)}`) < 11 ? "VALUE_YES" : "VALUE_NO",
        totalGovernanceTokenBalance: amountOf(name),
        totalGovernanceTokenWeight: "0",
        totalEquityLikeShareWeight: "0",
        perMarketEquityLikeShareWeight: {},
      };
    });

  /** When a proposal closes, all its votes are rewritten in one block, each with its share of the tokens that voted. */
  const closed = () => {
    const total = cast.reduce((sum, { totalGovernanceTokenBalance }) => sum + BigInt(totalGovernanceTokenBalance), 0n);
    return cast.map((vote) => {
      const share = (BigInt(vote.totalGovernanceTokenBalance) * 10n ** 18n) / (total || 1n);
      return { ...vote, totalGovernanceTokenWeight: formatUnits(share, 18), blockTime: `${timestamp}` as const };
    });
  };

  return () => {
    const [proposal, age] = [Math.floor(blocks / blocksOfProposal), blocks % blocksOfProposal];
    const rewritten = age === 0 ? closed() : [];
    if (age === 0) cast = [];
    const votes = castVotes(proposal, age);
    cast.push(...votes);
    chain.addRecords({ balances: 2 + (blocks % 5), votes: rewritten });
    const own = party === undefined ? [] : [{ partyId: party, balance: amountOf(`balance ${blocks}`) }];
    const next = { height: height + 1n, timestamp: timestamp + blockTime };
    chain.nextBlock({ balances: own, votes, block: next });
    ({ height, timestamp } = next);
    blocks++;
  };
}

const month = 30n * day;

/** A live node with a month of records. */
export async function createDemo() {
  const { createFakeNode, nodeDefects } = await import("vegaprotocol-client/testing");
  const counts = { balances: 4000, votes: 400, profiles: 40, signatures: 9, spamStatistics: 20 };
  const { records } = createFakeNode(counts);
  const times = records.balances.map(({ timestamp }) => BigInt(timestamp));
  const [newest = 0n, oldest = 0n] = [times[0], times.at(-1)];
  // The generated changes are of a few minutes.
  const balances = records.balances.map((change, index) => {
    const age = newest - (times[index] ?? newest);
    return { ...change, timestamp: `${newest - (age * month) / (newest - oldest)}` as const };
  });
  const node = createFakeNode({ ...records, balances }, { rateLimit: false, defects: nodeDefects });
  const timer = setInterval(liveChain(node, { blockTime: 1_000_000_000n, seed: 1 }), 1000);
  const { fetch } = withOtherPaths(node);
  const proposals = [...new Set(records.votes.map(({ proposalId }) => proposalId))].reverse();
  return { fetch, pause: () => clearInterval(timer), proposals, totalSupply: "200000000000000000000000000" };
}
