import { createFakeNode, type FakeNodeData, nodeDefects } from "vegaprotocol-client/testing";
import { block, change, changes, first, hour, party } from "./changes.js";

export type Node = { fetch(request: Request): Promise<Response> };

/** A v0.74 node with these changes, or with others. */
export const startNode = ({ history, ...data }: FakeNodeData & { history?: bigint } = {}) =>
  createFakeNode({ balances: changes, block, ...data }, { defects: nodeDefects, rateLimit: false, history });

/** Calls a function before each request, with its number. A response that it returns takes the place of the node's own. */
export function intercept(node: Node, act: (number: number, request: Request) => unknown): Node {
  let number = 0;
  return {
    fetch: async (request) => {
      const own = await act(++number, request);
      return own instanceof Response ? own : node.fetch(request);
    },
  };
}

type Headers = Record<string, string | undefined>;
/** A node whose bodies and headers are changed. */
export const changed = (node: Node, body: (text: string) => string, headers: Headers = {}): Node => ({
  fetch: async (request) => {
    const response = await node.fetch(request);
    const all = { ...Object.fromEntries(response.headers), ...headers };
    const left = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
    return new Response(body(await response.text()), { status: response.status, headers: left });
  },
});

/** A node whose responses to some paths are given. */
export const withPaths = (node: Node, paths: Readonly<Record<string, object>>): Node => ({
  fetch: async (request) => {
    const body = paths[new URL(request.url).pathname];
    return body ? Response.json(body) : node.fetch(request);
  },
});

/** The path of a node that lists assets. */
export const listing = (...assets: readonly object[]) => ({
  "/api/v2/assets": { assets: { edges: assets.map((node) => ({ node })), pageInfo: { hasNextPage: false } } },
});

/** Adds balance changes, and the block after them, which makes them final. */
export function add(node: ReturnType<typeof startNode>, ...balances: (typeof changes)[number][]): void {
  node.nextBlock({ balances });
  node.nextBlock();
}

/**
 * An address of two nodes: one has dropped the first change of a party, the other one the second as well. No response shows that the second one
 * is missing.
 *
 * @param switchAfter - How many requests go to a node without later records first.
 */
export function addressWithGap(switchAfter: number) {
  const at = (minutes: number) => first + BigInt(minutes) * (hour / 60n);
  const stored = [change(at(0), "1", party), change(at(90))];
  const others = Array.from({ length: 5100 }, (_, index) => change(at(150) + BigInt(index) * 1_000_000n));
  const balances = [...stored, ...others, change(at(180), "2", party), change(at(300), "3", party)];
  const before = startNode({ balances: stored, block: { height: 1000n, timestamp: at(120) } });
  const later = { height: 1010n, timestamp: at(360) };
  const [longer, shorter] = [at(60), at(200)].map((history) => startNode({ balances, block: later, history }));
  let requests = 0;
  const fetch = async (request: Request): Promise<Response> => {
    if (++requests <= switchAfter) return before.fetch(request);
    const { searchParams } = new URL(request.url);
    const isOfParty = searchParams.getAll("filter.partyIds").length === 1;
    const node = isOfParty && searchParams.has("dateRange.startTimestamp") ? shorter : longer;
    return (node as Node).fetch(request);
  };
  return { fetch, from: at(0), position: at(120), next: at(300) };
}
