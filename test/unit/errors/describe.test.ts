import { expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";

/** What Node.js rejects with if nothing listens at an address. */
const refused = () =>
  Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:3008") }));

/** How often a text has another one in it. */
const count = (text: string | undefined, part: string) => (text ?? "").split(part).length - 1;

test("the message of a failed connection has its cause once", async () => {
  const client = createClient({ baseUrl: "https://node.example", fetch: refused });
  await expect(client.getSpamStatistics({ partyId: "a" }, { retry: false })).rejects.toThrow(
    /: fetch failed: connect ECONNREFUSED 127\.0\.0\.1:3008$/,
  );
});

test("the message about several nodes has the cause of each once", async () => {
  const nodes = nodePool(["https://a.example", "https://b.example"]);
  const client = createClient({ baseUrl: nodes, fetch: refused });
  const error = await client.getSpamStatistics({ partyId: "a" }, { retry: false }).catch((reason: Error) => reason);
  expect(count((error as Error).message, "connect ECONNREFUSED")).toBe(2);
  for (const { error: text } of nodes.status) expect(count(text, "connect ECONNREFUSED")).toBe(1);
  for (const { error: text } of await nodes.check()) expect(count(text, "connect ECONNREFUSED")).toBe(1);
});
