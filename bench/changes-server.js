// Serves balance changes as a v0.74 node does, in a separate process: oldest first by range of time, the newest by
// newest-first. Every record is rendered before the first request, and a page is a slice of that text, so that the CPU of the
// machine is left to the program that is measured. A third of the accounts without a market are those of rewards.
import { createServer } from "node:http";
import { createFakeNode } from "../dist/src/testing/index.js";

const records = Number(process.argv[2]);

const times = /** @type {bigint[]} */ ([]);
/** Where each record begins in the text; a comma is between two. @type {number[]} */
const starts = [];
const places = new Map();
/** @type {Buffer[]} */
const pieces = [];
let length = 0;
const node = createFakeNode({ balances: records }, { rateLimit: false });
const rewarded = node.records.balances[0]?.assetId;
let after = "";
let headers = {};
while (times.length < records) {
  const query = `pagination.first=5000&pagination.newestFirst=false${after && `&pagination.after=${after}`}`;
  const response = await node.fetch(new Request(`http://node/api/v2/balance/changes?${query}`));
  headers = Object.fromEntries(response.headers);
  const { balances } = await response.json();
  for (const edge of balances.edges) {
    const { node: change, cursor } = edge;
    if (change.marketId === "" && change.assetId === rewarded) change.accountType = "ACCOUNT_TYPE_VESTED_REWARDS";
    const piece = Buffer.from(`${JSON.stringify(edge)},`);
    places.set(keyOf(cursor), times.length);
    times.push(BigInt(change.timestamp));
    starts.push(length);
    pieces.push(piece);
    length += piece.length;
  }
  after = encodeURIComponent(balances.pageInfo.endCursor);
}
starts.push(length);
const text = Buffer.concat(pieces);

/** What a cursor names, without the members that the client adds. @param {string} cursor */
function keyOf(cursor) {
  const { vega_time: time, PartyID, AssetID, MarketID, Type } = JSON.parse(atob(cursor));
  return [time, PartyID, AssetID, MarketID, Type].join();
}

/** The first record that is not before a time. @param {string | null} time @param {number} open */
function positionOf(time, open) {
  if (time === null) return open;
  const wanted = BigInt(time) / 1000n;
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((times[middle] ?? 0n) / 1000n < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** @param {number} from @param {number} to */
const edgesBetween = (from, to) => text.subarray(starts[from], (starts[to] ?? 0) - 1);

/** @param {number} from @param {number} to */
const newestFirst = (from, to) =>
  Array.from({ length: to - from }, (_, index) => edgesBetween(to - index - 1, to - index)).join();

let requests = 0;
const server = createServer((request, response) => {
  if (request.url === "/requests") {
    response.end(JSON.stringify({ requests }));
    requests = 0;
    return;
  }
  requests++;
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  const size = Number(searchParams.get("pagination.first"));
  const isNewestFirst = searchParams.get("pagination.newestFirst") !== "false";
  const cursor = searchParams.get("pagination.after");
  let from = positionOf(searchParams.get("dateRange.startTimestamp"), 0);
  if (cursor !== null) from = (places.get(keyOf(cursor)) ?? -1) + 1;
  let to = positionOf(searchParams.get("dateRange.endTimestamp"), times.length);
  const isMore = to - from > size;
  if (isNewestFirst) from = Math.max(from, to - size);
  else to = Math.min(to, from + size);
  const edges = to === from ? "" : isNewestFirst ? newestFirst(from, to) : edgesBetween(from, to);
  const endCursor = edges === "" ? "" : JSON.parse(`${edgesBetween(to - 1, to)}`).cursor;
  const pageInfo = { startCursor: "", endCursor, hasNextPage: isMore, hasPreviousPage: from > 0 };
  response.writeHead(200, { ...headers, "Content-Type": "application/json" });
  response.write('{"balances":{"edges":[');
  response.write(edges);
  response.end(`],"pageInfo":${JSON.stringify(pageInfo)}}}`);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.({ port: address?.port });
});
process.on("disconnect", () => process.exit());
