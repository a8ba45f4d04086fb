/** The paths that `fake-node` serves in addition to the description: assets and proposals, which reports read. */
import type { FakeNode } from "vegaprotocol-client/testing";

const details = [["VEGA", "18"] as const, ["DAI", "18"] as const, ["KSM", "12"] as const];

/** The thresholds of each proposal, like the network parameters `governance.proposal.freeform`. */
const thresholds = { requiredParticipation: "0.00001", requiredMajority: "0.66" };

/** A node that also responds to `/api/v2/assets` and `/api/v2/governance?proposalId=ID`. */
export function withOtherPaths(node: FakeNode): Pick<FakeNode, "fetch"> {
  const { balances, signatures } = node.records;
  const ids = [...new Set([...balances.map(({ assetId = "" }) => assetId), ...signatures.map(({ id }) => id)])].sort();
  const edges = ids.reverse().map((id, index) => {
    const [symbol, decimals] = details[index] ?? [`ASSET${index}`, "18"];
    const node = { id, details: { symbol, name: symbol, decimals, quantum: "1" }, status: "STATUS_ENABLED" };
    return { node, cursor: id };
  });
  const pageInfo = {
    hasNextPage: false,
    hasPreviousPage: false,
    startCursor: ids[0] ?? "",
    endCursor: ids.at(-1) ?? "",
  };

  function respond(url: URL): { status: number; body: object } | undefined {
    if (url.pathname === "/api/v2/assets") return { status: 200, body: { assets: { edges, pageInfo } } };
    if (url.pathname !== "/api/v2/governance") return undefined;
    const id = url.searchParams.get("proposalId")?.toLowerCase();
    const { votes } = node.records;
    if (votes.some(({ proposalId }) => proposalId === id)) {
      const isClosed = votes.some((vote) => vote.proposalId === id && Number(vote.totalGovernanceTokenWeight) > 0);
      const state = isClosed ? "STATE_ENACTED" : "STATE_OPEN";
      return { status: 200, body: { data: { proposal: { id, reference: "", state, ...thresholds } } } };
    }
    // As v0.74 nodes respond.
    const detail = { "@type": "type.googleapis.com/vega.ErrorDetail", code: 170001, message: "failed to get proposal" };
    return {
      status: 404,
      body: { code: 5, message: "NotFound error", details: [{ ...detail, inner: "no resource" }] },
    };
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const response = respond(new URL(request.url));
      if (response === undefined) return node.fetch(request);
      // The limits, the headers and the faults are the same as for a list.
      const address = new URL("/api/v2/balance/changes?pagination.first=1&filter.partyIds=network", request.url);
      const own = await node.fetch(new Request(address, { headers: request.headers, signal: request.signal }));
      if (!own.ok) return own;
      return new Response(JSON.stringify(response.body), { status: response.status, headers: own.headers });
    },
  };
}
