import { createFakeNode, type FakeNodeData, nodeDefects } from "vegaprotocol-client/testing";
import { expect } from "vitest";

export const hour = 3_600_000_000_000n;
/** 7 February 2024, 10:00. */
export const first = 1_707_300_000_000_000_000n;
export const [party, other] = ["ab".repeat(32), "cd".repeat(32)];
export const account = { assetId: "ef".repeat(32), marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" };

export const change = (time: bigint, balance = "7", partyId = other) => ({
  timestamp: `${time}` as const,
  balance,
  partyId,
  ...account,
});

/** A change in each hour of some days, of two parties by turns. */
export const changes = Array.from({ length: 200 }, (_, index) =>
  change(first + BigInt(index) * hour, `${index + 1}${"0".repeat(25)}`, index % 2 ? party : other),
);

/** The block after them. */
export const block = { height: 1000n, timestamp: first + 200n * hour };

export type Node = { fetch(request: Request): Promise<Response> };

/** A v0.74 node with these changes, or with others. */
export const startNode = ({ history, ...data }: FakeNodeData & { history?: bigint } = {}) =>
  createFakeNode({ balances: changes, block, ...data }, { defects: nodeDefects, rateLimit: false, history });

/** A node whose bodies and headers are changed. */
export const changed = (
  node: Node,
  body: (text: string) => string,
  headers: Record<string, string | undefined> = {},
): Node => ({
  fetch: async (request) => {
    const response = await node.fetch(request);
    const all = { ...Object.fromEntries(response.headers), ...headers };
    const left = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
    return new Response(body(await response.text()), { status: response.status, headers: left });
  },
});

/** Adds balance changes, and the block after them, which makes them final. */
export function add(node: ReturnType<typeof startNode>, ...balances: (typeof changes)[number][]): void {
  node.nextBlock({ balances });
  node.nextBlock();
}

/** How a command ends, with what it prints to stderr. */
export const ended = (code: number, text = "") => ({ code, stderr: expect.stringContaining(text) });

/** How a comparison ends that finds as many balance changes in the node. */
export const equal = (count: number) => ({ code: 0, stdout: expect.stringContaining(`: ${count} balance changes.`) });
