/** A worker with one client for each node or pool, which all its requests share. */
import { createClient, type VegaClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";

const clients = new Map<string, VegaClient>();

const uses: Readonly<Record<string, (client: VegaClient) => Promise<unknown>>> = {
  call: async (client) => (await client.getSpamStatistics({ partyId: "aa" })).chainId,
  walk: async (client) => (await client.listNodeSignatures({ id: "aa", pagination: { first: 5 } }).toArray()).length,
  scan: async (client) => (await client.scanBalanceChanges({}, { pageSize: 100 }).toArray()).length,
};

export default {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const nodes = searchParams.getAll("node");
    const [baseUrl, ...others] = nodes;
    const use = uses[searchParams.get("use") ?? ""];
    if (baseUrl === undefined || use === undefined) return new Response("up");
    const key = nodes.join();
    const client = clients.get(key) ?? createClient({ baseUrl: others.length > 0 ? nodePool(nodes) : baseUrl });
    clients.set(key, client);
    try {
      return Response.json({ result: await use(client) });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
};
