import { createClient } from "../dist/src/index.js";
import { createFakeNode, nodeDefects } from "../dist/src/testing/index.js";
import { count, limit, type Report } from "./measure.js";

const records = 1_000_000;
const pageSize = 5000;
const baseUrl = "https://node.example";

type Fetch = (request: Request) => Promise<Response>;

/** What a scan and a loop over cursors lose on a node with the defects of v0.74 nodes. */
export async function completeness(): Promise<Report[]> {
  const { fetch } = createFakeNode({ balances: records }, { defects: nodeDefects, rateLimit: false });
  let scanned = 0;
  for await (const _ of createClient({ baseUrl, fetch }).scanBalanceChanges({}, { pageSize })) scanned++;
  const row = (seen: number) => ({ records: seen, "records lost": records - seen });
  const rows = { "loop with endCursor": row(await followCursors(fetch)), scan: row(scanned) };
  limit("Records lost by a scan", rows.scan["records lost"], 0);
  return [{ title: `Reading ${count(records)} balance changes of a node with the defects of v0.74 nodes`, rows }];
}

/** A program that follows the cursors of the node. */
async function followCursors(fetch: Fetch): Promise<number> {
  const seen = new Set<string>();
  for (let after = ""; ; ) {
    const cursor = after && `&pagination.after=${encodeURIComponent(after)}`;
    const query = `pagination.first=${pageSize}&pagination.newestFirst=false${cursor}`;
    const response = await fetch(new Request(`${baseUrl}/api/v2/balance/changes?${query}`));
    const { balances } = (await response.json()) as {
      balances: { edges: { node: object }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
    };
    for (const { node } of balances.edges) seen.add(JSON.stringify(node));
    if (!balances.pageInfo.hasNextPage) return seen.size;
    after = balances.pageInfo.endCursor;
  }
}
