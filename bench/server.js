// Responds like a node, in a separate process, so that its CPU time is not counted. Every page is created before it is
// requested. The response to a path that begins with `/20ms` is delayed by 20 ms.
import { createServer } from "node:http";

const counter = { countForEpoch: "1", maxForEpoch: "3", minTokensRequired: "1000000000000000000" };
const statistics = JSON.stringify({
  chainId: "chain",
  statistics: { epochSeq: "1", proposals: counter, transfers: counter },
});

/**
 * The edges of a page by its size. They are the same on each page.
 *
 * @type {Map<number, string>}
 */
const edgesOfSize = new Map();

/** @param {number} size */
function edgesOf(size) {
  let edges = edgesOfSize.get(size);
  if (edges === undefined) {
    const node = (/** @type {number} */ index) => ({
      id: "9fd1c0bf87a3a1ac33f0f3e1e0ee3d6b5cdd38f9a2c6f4cd8aa1f1c8f3f3c0de",
      sig: Buffer.from(`signature ${index} of a node, as long as those of the network are`).toString("base64"),
      kind: "NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL",
    });
    edges = Array.from({ length: size }, (_, index) =>
      JSON.stringify({ cursor: `c${index}`, node: node(index) }),
    ).join();
    edgesOfSize.set(size, edges);
  }
  return edges;
}

/**
 * A page of an endless list: the client ends its walk, so that one server serves walks of any length.
 *
 * @param {URLSearchParams} query
 */
function page(query) {
  const size = Number(query.get("pagination.first"));
  const number = Number(query.get("pagination.after") ?? 0) + 1;
  const pageInfo = { startCursor: "", endCursor: String(number), hasNextPage: true, hasPreviousPage: number > 1 };
  return `{"signatures":{"edges":[${edgesOf(size)}],"pageInfo":${JSON.stringify(pageInfo)}}}`;
}

const server = createServer((request, response) => {
  const [, latency, path = "/"] = /^(?:\/(\d+)ms)?(\/.*)$/.exec(request.url ?? "") ?? [];
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const body = pathname === "/api/v2/node/signatures" ? page(searchParams) : statistics;
  const respond = () => {
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      // Limits that hold nothing back, so that a client that reads them does so.
      "RateLimit-Limit": "1000000",
      "RateLimit-Remaining": "1000000",
      "RateLimit-Reset": "1",
      "X-Block-Height": "1234567",
      "X-Block-Timestamp": "1707497689123456000",
    });
    response.end(body);
  };
  if (latency === undefined) respond();
  else setTimeout(respond, Number(latency));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.(address?.port);
});
process.on("disconnect", () => process.exit());
