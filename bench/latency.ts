import { createClient } from "../dist/src/index.js";
import { count, type Report, round } from "./measure.js";

const latencies = [20, 100];

/** The time of the first change, in milliseconds since 1970. */
const first = Date.UTC(2024, 0, 1);

/** A scan of a node that takes its time, with one request at once and with several. */
export async function latency(): Promise<Report[]> {
  const pageSize = 1000;
  const changes = 200 * pageSize;
  const fetchAfter = delayedChanges(changes);
  const dateRange = { endTimestamp: new Date(first + changes) };
  const rows: Report["rows"] = {};
  for (const latency of latencies) {
    let alone = 0;
    for (const concurrency of [1, 4, 8]) {
      let requests = 0;
      const observe = ({ type }: { type: string }) => {
        if (type === "attempt") requests++;
      };
      const client = createClient({ baseUrl: "https://node.example", fetch: fetchAfter(latency), observe });
      const start = performance.now();
      let seen = 0;
      for await (const _ of client.scanBalanceChanges({ dateRange }, { pageSize, concurrency })) seen++;
      if (seen !== changes) throw new Error(`The scan found ${seen} of ${changes}.`);
      const ms = performance.now() - start;
      alone ||= ms;
      rows[`${latency} ms, ${concurrency} at once`] = {
        ms: Math.round(ms),
        "times as fast": round(alone / ms),
        requests,
      };
    }
  }
  return [{ title: `A scan of ${count(changes)} changes, pages of ${count(pageSize)}`, rows }];
}

/** Balance changes, one in each millisecond, so that a range is a slice, behind a `fetch` that takes its time. */
function delayedChanges(changes: number) {
  const edge = (index: number) => `{"cursor":"${index}","node":{"timestamp":"${first + index}000000","balance":"1"}}`;
  const edges = Array.from({ length: changes }, (_, index) => edge(index));
  // Without a block, a scan sends one request at a time.
  const headers = { "X-Block-Height": "1", "X-Block-Timestamp": `${first + changes}000001` };
  return (latency: number) =>
    async ({ url }: Request) => {
      await new Promise((resolve) => setTimeout(resolve, latency));
      const query = new URL(url).searchParams;
      const at = (name: string, otherwise: number) => {
        const time = query.get(`dateRange.${name}`);
        if (time === null) return otherwise;
        const index = Number((BigInt(time) + 999_999n) / 1_000_000n) - first;
        return Math.min(changes, Math.max(0, index));
      };
      const after = query.get("pagination.after");
      const start = after === null ? at("startTimestamp", 0) : Number(after) + 1;
      const end = at("endTimestamp", changes);
      const page = edges.slice(start, Math.min(end, start + Number(query.get("pagination.first"))));
      const last = start + page.length - 1;
      const pageInfo = `{"startCursor":"${start}","endCursor":"${last}","hasNextPage":${last + 1 < end},"hasPreviousPage":false}`;
      return new Response(`{"balances":{"edges":[${page.join()}],"pageInfo":${pageInfo}}}`, { headers });
    };
}
