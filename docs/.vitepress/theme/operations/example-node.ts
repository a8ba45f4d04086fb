import { createFakeNode, type FakeNode, nodeDefects, type Records } from "../../../../src/testing/index.js";
import type { FormValues, OperationId } from "./fields.js";

/** How the example node responds. */
export type NodeState = "ready" | "limited" | "starting";

export const exampleData = { votes: 300, profiles: 60, balances: 400, signatures: 120, spamStatistics: 10 };
let node: FakeNode | undefined;

/** The node that the operation pages call: one for all pages, so that it remembers transactions. */
export function exampleNode(): FakeNode {
  node ??= createFakeNode(exampleData, { defects: nodeDefects });
  return node;
}

export function setNodeState(state: NodeState): void {
  exampleNode().configure({
    rateLimit: state === "limited" ? { burst: 0, rate: 0 } : {},
    faults: state === "starting" ? [{ name: "status", status: 503, code: 14, message: "the node is starting" }] : [],
  });
}

/** What the forms hold at first: ids of the example node, and a page size that leaves a next page. */
export function exampleValues({
  votes,
  signatures,
  spamStatistics,
}: Records): Partial<Record<OperationId, FormValues>> {
  // All votes of the first proposal are in one block, which a cursor cannot pass.
  const proposals = [...new Set(votes.map(({ proposalId }) => proposalId))];
  const first = { "pagination.first": 5 };
  return {
    listVotes: { proposalId: proposals[1] ?? "", ...first },
    listPartiesProfiles: first,
    getSpamStatistics: { partyId: Object.keys(spamStatistics)[0] ?? "" },
    listBalanceChanges: {
      "filter.accountTypes": ["ACCOUNT_TYPE_GENERAL"],
      "dateRange.startTimestamp": "1707497580000000000",
      "dateRange.endTimestamp": "1707497640000000000",
      ...first,
    },
    listNodeSignatures: { id: signatures[0]?.id ?? "", ...first },
  };
}
