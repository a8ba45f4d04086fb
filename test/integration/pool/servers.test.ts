import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
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
  expect(pool.status[0]?.state).toBe("cooling-down");
  await expect.poll(() => open).toBe(0);
});

test("a process whose client has several nodes ends after its last response", async () => {
  const servers = await Promise.all([listen(createFakeNode()), listen(createFakeNode())]);
  for (const server of servers) closers.push(() => server.close());
  // `dist/` is what `npm test` has built.
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { createClient } from ${JSON.stringify(new URL("../../../dist/src/index.js", import.meta.url).href)};
     import { nodePool } from ${JSON.stringify(new URL("../../../dist/src/pool/index.js", import.meta.url).href)};
     const client = createClient({ baseUrl: nodePool(${JSON.stringify(servers.map(({ url }) => url))}) });
     console.log((await client.listBalanceChanges({ pagination: { first: 7 } })).nodes.length);`,
  ]);
  expect(stdout).toBe("7\n");
});
