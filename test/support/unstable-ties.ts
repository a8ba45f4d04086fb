import { createFakeNetwork, type FakeNode, type FakeNodeData, nodeDefects } from "../../src/testing/index.js";

/**
 * A node that returns the votes of one block in an order that varies from request to request: eight nodes of one chain, each with
 * its own order, take turns.
 */
export function createUnstableNode(data: FakeNodeData, isUnstable = true): Omit<FakeNode, "configure" | "dropHistory"> {
  const network = createFakeNetwork({ ...data, nodes: isUnstable ? 8 : 1 }, { defects: nodeDefects, rateLimit: false });
  const requests: FakeNode["requests"] = [];
  return Object.assign(network, {
    requests,
    async fetch(...args: Parameters<FakeNode["fetch"]>) {
      const request = new Request(...args);
      const node = network.nodes[requests.length % network.nodes.length];
      if (node === undefined) throw new Error("The network has no node.");
      const response = await node.fetch(request);
      requests.push(...node.requests.slice(-1));
      return response;
    },
  });
}
