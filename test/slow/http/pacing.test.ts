import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/http/clock.js";
import { createClient } from "../../../src/index.js";
import { LimitedNode } from "../../support/limited-node.js";

/** A node with limits on a port of this machine. It pages through 20 signatures, a record to a page. */
async function startNode() {
  const node = new LimitedNode(systemClock);
  const server: Server = createServer(async (request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? "", "http://127.0.0.1");
    const at = Number(searchParams.get("pagination.after") ?? -1) + 1;
    const edges = [{ cursor: `${at}`, node: { id: "a", sig: null, kind: 42 } }];
    const pageInfo = { startCursor: `${at}`, endCursor: `${at}`, hasNextPage: at < 19, hasPreviousPage: at > 0 };
    const answer = node.answer(
      pathname.startsWith("/api") ? { signatures: { edges, pageInfo } } : { chainId: "chain", statistics: null },
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    const closed = new Promise((resolve) => server.close(resolve));
    // A connection that fetch opened and did not need counts as busy, for a minute.
    server.closeAllConnections();
    return closed;
  };
  return { node, url, close };
}

/** 500 requests at once: 300 single calls, and 10 walks over 20 pages each. */
async function ask(url: string): Promise<number> {
  const client = createClient({ baseUrl: url });
  const start = performance.now();
  const calls = Array.from({ length: 300 }, () => client.getSpamStatistics({ partyId: "a" }));
  const walks = Array.from({ length: 10 }, () =>
    client.listNodeSignatures({ id: "a", pagination: { first: 1 } }).toArray(),
  );
  await Promise.all(calls);
  for (const records of await Promise.all(walks)) expect(records).toHaveLength(20);
  return performance.now() - start;
}

test.concurrent("500 requests at once are served without a rejection, within a tenth of the time that the bucket allows", async () => {
  const { node, url, close } = await startNode();
  const milliseconds = await ask(url);
  await close();
  expect(node).toMatchObject({ served: 500, refused: 0, bans: 0 });
  expect(milliseconds).toBeLessThan(((500 - 100) / 20) * 1000 * 1.1);
}, 60_000);

test.concurrent("500 requests are all served without a ban while another client empties the bucket", async () => {
  const { node, url, close } = await startNode();
  const timers = [200, 1500, 4000, 8000].map((delay) => setTimeout(() => node.empty(), delay));
  await ask(url);
  timers.forEach(clearTimeout);
  await close();
  expect(node).toMatchObject({ served: 500, bans: 0 });
  expect(node.refused).toBeLessThanOrEqual(25);
}, 60_000);
