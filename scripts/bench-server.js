// Answers every request with the spam statistics of one party, from a process of its own: its time is not the client's.
import { createServer } from "node:http";

const counter = { countForEpoch: "1", maxForEpoch: "3", minTokensRequired: "1000000000000000000" };
const body = JSON.stringify({
  chainId: "chain",
  statistics: { epochSeq: "1", proposals: counter, transfers: counter },
});
const headers = {
  "Content-Type": "application/json",
  "Content-Length": Buffer.byteLength(body),
  "X-Block-Height": "1234567",
  "X-Block-Timestamp": "1707497689123456000",
};

const server = createServer((_, response) => response.writeHead(200, headers).end(body));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.send?.(address.port);
});
process.on("disconnect", () => process.exit());
