import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function start(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("over HTTP, a pool with a closed port and a silent server responds, and leaves no request in flight", async () => {
  const node = createFakeNode({ signatures: 90 });
  const served = await listen(node);
  closers.push(() => served.close());
  let open = 0;
  const silent = await start(
    createServer((_, response) => {
      open++;
      response.on("close", () => open--);
    }),
  );
  const closed = createServer();
  const closedUrl = await start(closed);
  await new Promise((resolve) => closed.close(resolve));
  const pool = nodePool([closedUrl, silent, served.url], { order: "given" });
  const client = createClient({ baseUrl: pool });
  const id = node.records.signatures[0]?.id ?? "";
  const signatures = await client.listNodeSignatures({ id, pagination: { first: 10 } }).toArray();
  expect(signatures).toHaveLength(30);
  expect(pool.status.map(({ state }) => state)).toEqual(["failing", "slow", "ready"]);
  await expect.poll(() => open).toBe(0);
});
