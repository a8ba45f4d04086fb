import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { median, type Report, round, times } from "./measure.js";

const calls = 20_000;
const rounds = 9;

/**
 * What a call may take beside openapi-fetch alone: without a deadline and pacing, and with them, as they are by default. From
 * Node.js 22 on, the Request that openapi-fetch makes takes a quarter of what it took.
 */
const isNode20 = process.versions.node.startsWith("20.");
const most = isNode20
  ? { "vegaprotocol-client, bare": 0.6, "vegaprotocol-client": 0.85 }
  : { "vegaprotocol-client, bare": 1.3, "vegaprotocol-client": 1.8 };

/**
 * The CPU time of a call in the client itself: on a `fetch` that answers from memory, each way in processes of its own, since
 * what one way teaches the engine makes the other slower.
 */
export async function gate(): Promise<Report[]> {
  const samples: Record<string, number[]> = {};
  for (let number = 0; number < rounds; number++) {
    for (const name of ["openapi-fetch", ...Object.keys(most)]) {
      const caller = fork(fileURLToPath(import.meta.url), [name]);
      const [nanoseconds] = (await once(caller, "message")) as [number];
      samples[name] = [...(samples[name] ?? []), nanoseconds];
    }
  }
  const base = samples["openapi-fetch"] ?? [];
  const rows: Report["rows"] = {};
  for (const [name, all] of Object.entries(samples)) {
    const ratio = times(all, base);
    const limit = most[name as keyof typeof most] ?? 1;
    rows[name] = { "CPU, µs": round(median(all) / 1000), "times openapi-fetch": ratio, "at most": limit };
    if (ratio > limit) {
      console.error(`${name} takes ${ratio} times the CPU of openapi-fetch: more than ${limit}.`);
      process.exitCode = 1;
    }
  }
  return [{ title: `The client's own CPU for a call, on a fetch that answers from memory, ${rounds} rounds`, rows }];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const body = '{"chainId":"chain","statistics":null}';
  const headers = new Headers({
    "Content-Type": "application/json",
    "Content-Length": String(body.length),
    "RateLimit-Limit": "20",
    "RateLimit-Remaining": "1000000",
    "RateLimit-Reset": "1",
    "X-Block-Height": "1",
    "X-Block-Timestamp": "1",
  });
  const text = async () => body;
  const json = async () => JSON.parse(body);
  // Before the client is loaded, which takes what it finds then for the platform's own.
  const fetch = async () => ({ ok: true, status: 200, url: "https://node.example", headers, text, json }) as Response;
  globalThis.fetch = fetch;
  const { createClient } = await import("../dist/src/index.js");
  const { default: createHttp } = await import("openapi-fetch");
  const baseUrl = "https://node.example";
  const partyId = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";
  const http = createHttp<import("../dist/src/index.js").paths>({ baseUrl, fetch });
  const bare = createClient({ baseUrl, pacing: false, timeout: Number.POSITIVE_INFINITY });
  const client = createClient({ baseUrl });
  const ways: Record<string, () => Promise<unknown>> = {
    "openapi-fetch": () => http.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } }),
    "vegaprotocol-client, bare": () => bare.getSpamStatistics({ partyId }),
    "vegaprotocol-client": () => client.getSpamStatistics({ partyId }),
  };
  const call = ways[process.argv[2] ?? ""] as () => Promise<unknown>;
  const samples: number[] = [];
  for (let number = 0; number < 10; number++) {
    const start = process.cpuUsage();
    for (let done = 0; done < calls; done++) await call();
    const { user, system } = process.cpuUsage(start);
    if (number > 2) samples.push(((user + system) * 1000) / calls);
  }
  process.send?.(median(samples));
}
