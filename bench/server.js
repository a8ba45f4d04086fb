// Responds like a node to requests for spam statistics, in a separate process, so that its CPU time is not counted.
import { createServer } from "node:http";

const counter = { countForEpoch: "1", maxForEpoch: "3", minTokensRequired: "1000000000000000000" };
const statistics = { epochSeq: "1", proposals: counter, transfers: counter };
const body = JSON.stringify({ chainId: "chain", statistics });

const server = createServer((_, response) => {
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
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.({ port: address?.port });
});
process.on("disconnect", () => process.exit());
