/** A client of several nodes beside one of a single node, and beside what viem and ethers do with several nodes. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FallbackProvider, FetchRequest, JsonRpcProvider, Network } from "ethers";
import { createPublicClient, fallback, http } from "viem";
import { createClient } from "../dist/src/index.js";
import { nodePool } from "../dist/src/pool/index.js";
import { createFakeNetwork, type FakeNodeOptions } from "../dist/src/testing/index.js";
import { measure, median, type Report, round, times, withServer } from "./measure.js";

const partyId = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";
const calls = 60;
const height = 1_000_000;
const chainId = 1;

export const pool = async (): Promise<Report[]> => [await failing(), await cost(), await scan()];

/** How an Ethereum node of the comparison responds. */
interface RpcNode {
  behind?: number;
  status?: number;
  isSilent?: boolean;
}

/** Ethereum nodes that answer the height of their chain, and the number of requests to each. */
async function withRpcNodes<T>(
  nodes: readonly RpcNode[],
  use: (urls: string[], requests: number[]) => Promise<T>,
): Promise<T> {
  const requests = nodes.map(() => 0);
  const servers = nodes.map(({ behind = 0, status = 200, isSilent = false }, index) =>
    createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        requests[index] = (requests[index] ?? 0) + 1;
        if (isSilent) return;
        response.writeHead(status, { "Content-Type": "application/json" });
        if (status !== 200) return response.end("{}");
        const reply = ({ id, method }: { id: number; method: string }) => ({
          jsonrpc: "2.0",
          id,
          result: `0x${(method === "eth_chainId" ? chainId : height - behind).toString(16)}`,
        });
        const parsed = JSON.parse(body);
        return response.end(JSON.stringify(Array.isArray(parsed) ? parsed.map(reply) : reply(parsed)));
      });
    }),
  );
  try {
    return await use(await Promise.all(servers.map(listen)), requests);
  } finally {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** Calls a pool of fake nodes, and returns the heights and the number of requests to the first node. */
async function callPool(nodes: readonly FakeNodeOptions[]) {
  const network = createFakeNetwork({ nodes, votes: 10 }, { rateLimit: false });
  for (let block = 0; block < 700; block++) network.nextBlock();
  const client = createClient({
    baseUrl: nodePool(network.nodes.map(({ url }) => url)),
    fetch: network.fetch,
    timeout: 2000,
  });
  let stale = 0;
  let longest = 0;
  for (let call = 0; call < calls; call++) {
    const start = performance.now();
    const { block } = await client.getSpamStatistics({ partyId }).withResponse();
    longest = Math.max(longest, performance.now() - start);
    if (block?.height !== network.block.height) stale++;
  }
  return { stale, requests: network.nodes[0]?.requests.length ?? 0, longest };
}

async function callViem(nodes: readonly RpcNode[]) {
  return withRpcNodes(nodes, async (urls, requests) => {
    const transport = fallback(urls.map((url) => http(url, { timeout: 2000, retryCount: 0 })));
    const client = createPublicClient({ transport });
    let stale = 0;
    let longest = 0;
    for (let call = 0; call < calls; call++) {
      const start = performance.now();
      const number = await client.getBlockNumber({ cacheTime: 0 });
      longest = Math.max(longest, performance.now() - start);
      if (number !== BigInt(height)) stale++;
    }
    return { stale, requests: requests[0] ?? 0, longest };
  });
}

/** Milliseconds until a call with a quorum of one is answered; at most ten seconds are waited for. */
async function callEthers(nodes: readonly RpcNode[]) {
  return withRpcNodes(nodes, async (urls, requests) => {
    const network = Network.from(chainId);
    const providers = urls.map((url) => {
      const request = new FetchRequest(url);
      request.timeout = 2000;
      return new JsonRpcProvider(request, network, { staticNetwork: network, cacheTimeout: -1 });
    });
    const provider = new FallbackProvider(providers, network, { quorum: 1, cacheTimeout: -1 });
    let stale = 0;
    let longest = 0;
    for (let call = 0; call < calls && longest < 10_000; call++) {
      const start = performance.now();
      let timer: NodeJS.Timeout | number | undefined;
      const limit = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, 10_000);
      });
      const number = await Promise.race([provider.getBlockNumber().catch(() => undefined), limit]);
      clearTimeout(timer);
      longest = Math.max(longest, performance.now() - start);
      if (number !== undefined && Number(number) !== height) stale++;
    }
    provider.destroy();
    for (const each of providers) each.destroy();
    return { stale, requests: requests[0] ?? 0, longest };
  });
}

/** What each client does if the first of three nodes is behind, refuses, or is silent. */
async function failing(): Promise<Report> {
  const silent = { faults: [{ name: "latency" as const, milliseconds: Number.POSITIVE_INFINITY }] };
  const limited = { faults: [{ name: "status" as const, status: 429 }] };
  const cases: Record<string, [FakeNodeOptions, RpcNode]> = {
    "600 blocks behind": [{ lag: 600 }, { behind: 600 }],
    "status 429": [limited, { status: 429 }],
    silent: [silent, { isSilent: true }],
  };
  const rows: Report["rows"] = {};
  for (const [name, [fake, rpc]] of Object.entries(cases)) {
    const clients = {
      "vegaprotocol-client": () => callPool([fake, {}, {}]),
      "viem, fallback": () => callViem([rpc, {}, {}]),
      "ethers, quorum of 1": () => callEthers([rpc, {}, {}]),
    };
    for (const [client, call] of Object.entries(clients)) {
      const { stale, requests, longest } = await call();
      rows[`${name}: ${client}`] = {
        "stale responses": stale,
        "requests to that node": requests,
        "longest call, ms": Math.round(longest),
      };
    }
  }
  return {
    title: `${calls} calls, one after the other, of which the first of three nodes is not well; timeout 2 s`,
    rows,
  };
}

/** The CPU time of a call to a pool of three nodes, compared with that of a call to one node. */
const cost = (): Promise<Report> =>
  withServer(async (baseUrl) => {
    // One server for all, at several paths.
    const several = createClient({ baseUrl: nodePool(["/a", "/b", "/c"].map((path) => baseUrl + path)) });
    const alone = createClient({ baseUrl: `${baseUrl}/a` });
    const rows: Report["rows"] = {};
    for (const [name, atOnce, each] of [
      ["one after the other", 1, 1000],
      ["32 at once", 32, 60],
    ] as const) {
      const way = (client: typeof alone) => () =>
        Promise.all(
          Array.from({ length: atOnce }, async () => {
            for (let call = 0; call < each; call++) await client.getSpamStatistics({ partyId });
          }),
        );
      const samples = await measure({ alone: way(alone), several: way(several) }, 15);
      const [one, three] = [samples["alone"]?.cpu ?? [], samples["several"]?.cpu ?? []];
      rows[name] = {
        "one node, µs": round(median(one) / (atOnce * each * 1000)),
        "three nodes, µs": round(median(three) / (atOnce * each * 1000)),
        "times one node": times(three, one),
      };
    }
    return { title: "CPU time of a call to a pool of three nodes, compared with one node, 15 rounds", rows };
  });

/** A scan over nodes that allow 20 requests a second each. */
async function scan(): Promise<Report> {
  const changes = 30_000;
  const seconds: Record<number, number> = {};
  for (const nodes of [1, 3]) {
    const network = createFakeNetwork({ nodes, balances: changes }, { rateLimit: { rate: 20, burst: 20 } });
    const client = createClient({ baseUrl: nodePool(network.nodes.map(({ url }) => url)), fetch: network.fetch });
    const start = performance.now();
    let seen = 0;
    for await (const _ of client.scanBalanceChanges({}, { pageSize: 100 })) seen++;
    if (seen !== network.records.balances.length) throw new Error(`The scan found ${seen} of ${changes}.`);
    seconds[nodes] = (performance.now() - start) / 1000;
  }
  const [one = 0, three = 0] = [seconds[1], seconds[3]];
  const rows = {
    scan: { "one node, s": round(one), "three nodes, s": round(three), "times as fast": round(one / three) },
  };
  return {
    title: `A scan of ${changes} balance changes in pages of 100, with 20 requests a second for each node`,
    rows,
  };
}
