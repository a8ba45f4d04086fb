/** A client of several nodes beside one of a single node, and beside what viem and ethers do with several nodes. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { FallbackProvider, FetchRequest, JsonRpcProvider, Network } from "ethers";
import { createPublicClient, fallback, http } from "viem";
import { createClient } from "../dist/src/index.js";
import { nodePool } from "../dist/src/pool/index.js";
import { createFakeNetwork } from "../dist/src/testing/index.js";
import { median, type Report, round, times, withServer } from "./measure.js";
import { withWorkers } from "./worker.js";

const partyId = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";
/** Calls of each client, milliseconds that they may take together, the deadline of an attempt, and the time that a node takes. */
const [calls, longest, attempt, latency] = [300, 12_000, 1000, 10];
const height = 1_000_000;
const chainId = 1;
/** Of the CPU time of a call. */
const costRounds = 31;

export const pool = async (): Promise<Report[]> => [await failing(), await silentScan(), await cost(), await scan()];

/** What is wrong with the first of three nodes: what it does with a request, or else it responds as the others do. */
type Fault = (response: ServerResponse) => boolean | Promise<boolean>;

const never = () => new Promise<boolean>(() => {});
const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const respond =
  (status: number, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end("{}");
    return true;
  };

const faults: Record<string, Fault> = {
  none: () => false,
  silent: never,
  slow: async () => {
    await wait(500);
    return false;
  },
  dead: (response) => {
    response.destroy();
    return true;
  },
  "status 503": respond(503),
  "600 blocks behind": () => false,
  "silent every other second": () => Math.floor(performance.now() / 1000) % 2 === 1 && never(),
  banned: respond(403, { "RateLimit-Retry-After": "600" }),
};

/** Three servers that know the requests of all clients, and the number of requests that they receive. */
async function withNodes<T>(fault: string, use: (urls: string[], count: () => number) => Promise<T>): Promise<T> {
  let requests = 0;
  const servers = [0, 1, 2].map((number) =>
    createServer((request, response) => {
      requests++;
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", async () => {
        await wait(latency);
        if (number === 0 && (await faults[fault]?.(response))) return;
        const behind = number === 0 && fault === "600 blocks behind" ? 600 : 0;
        response.setHeader("X-Block-Height", height - behind);
        response.setHeader("X-Block-Timestamp", `${BigInt(height - behind) * 1_000_000_000n}`);
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(request.method === "GET" ? { chainId: "", statistics: {} } : rpc(body, behind)));
      });
    }),
  );
  try {
    return await use(await Promise.all(servers.map(listen)), () => requests);
  } finally {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

/** The response of an Ethereum node. */
function rpc(body: string, behind: number) {
  const reply = ({ id, method }: { id: number; method: string }) => ({
    jsonrpc: "2.0",
    id,
    result: `0x${(method === "eth_chainId" ? chainId : height - behind).toString(16)}`,
  });
  const parsed = JSON.parse(body);
  return Array.isArray(parsed) ? parsed.map(reply) : reply(parsed);
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** Returns the height that a call of a client has received. */
type Call = () => Promise<number | undefined>;

/** The clients, each with a deadline of an attempt, and what ends them. */
const clients: Record<string, (urls: string[]) => { call: Call; end?: () => void }> = {
  "vegaprotocol-client": (urls) => {
    const client = createClient({ baseUrl: nodePool(urls), timeout: attempt });
    return {
      call: async () => {
        const { block } = await client.getSpamStatistics({ partyId }).withResponse();
        return block && Number(block.height);
      },
    };
  },
  "viem, fallback": (urls) => {
    const transport = fallback(urls.map((url) => http(url, { timeout: attempt, retryCount: 0 })));
    const client = createPublicClient({ transport });
    return { call: async () => Number(await client.getBlockNumber({ cacheTime: 0 })) };
  },
  "ethers, quorum of 1": (urls) => {
    const network = Network.from(chainId);
    const providers = urls.map((url) => {
      const request = new FetchRequest(url);
      request.timeout = attempt;
      return new JsonRpcProvider(request, network, { staticNetwork: network, cacheTimeout: -1 });
    });
    const provider = new FallbackProvider(providers, network, { quorum: 1, cacheTimeout: -1 });
    const end = () => {
      provider.destroy();
      for (const each of providers) each.destroy();
    };
    return { call: () => provider.getBlockNumber(), end };
  },
};

/** What each client does if the first of three nodes is not well. A call that takes longer than two seconds has failed. */
async function failing(): Promise<Report> {
  const rows: Report["rows"] = {};
  for (const fault of Object.keys(faults)) {
    for (const [name, create] of Object.entries(clients)) {
      rows[`${fault}: ${name}`] = await withNodes(fault, async (urls, count) => {
        const { call, end } = create(urls);
        const durations: number[] = [];
        let [failed, stale] = [0, 0];
        const begin = performance.now();
        while (durations.length < calls && performance.now() - begin < longest) {
          const start = performance.now();
          const found = await Promise.race([call().catch(() => undefined), wait(2000)]);
          durations.push(performance.now() - start);
          if (found === undefined) failed++;
          else if (found !== height) stale++;
        }
        const requests = count() / durations.length;
        end?.();
        const sorted = durations.sort((a, b) => a - b);
        return {
          calls: sorted.length,
          failed,
          stale,
          "median, ms": Math.round(median(sorted)),
          "99th percentile, ms": Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0),
          "longest, ms": Math.round(sorted.at(-1) ?? 0),
          "requests for a call": round(requests),
        };
      });
    }
  }
  const title = `${calls} calls at most, one after the other, of which the first of three nodes is not well; each node takes ${latency} ms`;
  return { title, rows };
}

/** A scan over three nodes, of which one is silent. */
async function silentScan(): Promise<Report> {
  const rows: Report["rows"] = {};
  for (const name of ["all nodes are well", "one node is silent"]) {
    const data = { nodes: 3, balances: 120_000 };
    const network = createFakeNetwork(data, { rateLimit: false });
    const [first] = network.nodes;
    if (name === "one node is silent")
      first?.configure({ faults: [{ name: "latency", milliseconds: Number.POSITIVE_INFINITY }] });
    const urls = network.nodes.map(({ url }) => url);
    const fetch = async (request: Request) => {
      await wait(latency);
      return network.fetch(request);
    };
    const client = createClient({ baseUrl: nodePool(urls), fetch });
    const start = performance.now();
    const seen = (await client.scanBalanceChanges({}, { pageSize: 500 }).toArray()).length;
    if (seen !== network.records.balances.length) throw new Error(`The scan found ${seen} records.`);
    rows[name] = {
      s: round((performance.now() - start) / 1000),
      "requests to the first node": first?.requests.length ?? 0,
    };
  }
  return { title: "A scan of 120 000 balance changes in pages of 500 over three nodes", rows };
}

/** The CPU time of a call to a pool of three nodes, compared with that of a call to one node. */
const cost = (): Promise<Report> =>
  withServer((baseUrl) =>
    withWorkers(baseUrl, ["one node", "three nodes"], async (measure) => {
      const rows: Report["rows"] = {};
      for (const [name, atOnce, each] of [
        ["one after the other", 1, 1000],
        ["32 at once", 32, 60],
      ] as const) {
        const samples = await measure({ atOnce, each }, costRounds);
        const [one, three] = [samples["one node"]?.cpu ?? [], samples["three nodes"]?.cpu ?? []];
        rows[name] = {
          "one node, µs": round(median(one) / (atOnce * each * 1000)),
          "three nodes, µs": round(median(three) / (atOnce * each * 1000)),
          "times one node": times(three, one),
        };
      }
      return {
        title: `CPU time of a call to a pool of three nodes, compared with one node, ${costRounds} rounds`,
        rows,
      };
    }),
  );

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
