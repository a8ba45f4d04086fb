import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { expect, test } from "vitest";
import { createClient } from "../../src/index.js";

test("a dispatcher of undici that is passed to fetch limits the number of connections", async () => {
  let connections = 0;
  const server = createServer((_, response) => response.end('{"chainId":"chain","statistics":null}'));
  server.on("connection", () => connections++);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const dispatcher = new Agent({ connections: 2 });
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fetch: (request) => fetch(request, { dispatcher } as RequestInit),
  });
  await Promise.all(Array.from({ length: 50 }, () => client.getSpamStatistics({ partyId: "a" })));
  expect(connections).toBe(2);
  await dispatcher.close();
  server.close();
});
