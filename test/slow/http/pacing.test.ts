import { expect, test } from "vitest";
import { systemClock } from "../../../src/async/clock.js";
import { createClient } from "../../../src/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { createLimitedNode } from "../../support/limited-node.js";

/** Serves a node with the default limits and 20 signatures of one resource. */
async function startNode() {
  const kind = "NODE_SIGNATURE_KIND_ASSET_NEW";
  const signatures = Array.from({ length: 20 }, (_, index) => ({ id: "aa", sig: btoa(`signature ${index}`), kind }));
  const node = createLimitedNode(systemClock, {}, { signatures });
  return { node, ...(await listen(node)) };
}

/** Sends 500 requests at once: 300 single calls, and 10 walks over 20 pages each. */
async function send500(url: string): Promise<void> {
  const client = createClient({ baseUrl: url });
  const calls = Array.from({ length: 300 }, () => client.getSpamStatistics({ partyId: "a" }));
  const walks = Array.from({ length: 10 }, () =>
    client.listNodeSignatures({ id: "aa", pagination: { first: 1 } }).toArray(),
  );
  await Promise.all(calls);
  for (const records of await Promise.all(walks)) expect(records).toHaveLength(20);
}

test.concurrent("500 requests at once are served without a rejection", async () => {
  const { node, url, close } = await startNode();
  await send500(url);
  await close();
  // A busy machine sends some of them again.
  expect(node.count.served).toBeGreaterThanOrEqual(500);
  expect(node.count).toMatchObject({ rejected: 0, banned: 0 });
}, 60_000);

test.concurrent("500 requests are all served without a ban while another client empties the bucket", async () => {
  const { node, url, close } = await startNode();
  const timers = [200, 1500, 4000, 8000].map((delay) => setTimeout(() => node.empty(), delay));
  await send500(url);
  timers.forEach(clearTimeout);
  await close();
  expect(node.count.served).toBeGreaterThanOrEqual(500);
  expect(node.count.banned).toBe(0);
  // All requests in flight are rejected when the bucket is emptied: about 5 each time, more if responses are late.
  expect(node.count.rejected).toBeLessThanOrEqual(50);
}, 60_000);
