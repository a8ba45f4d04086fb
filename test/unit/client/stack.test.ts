import { expect, onTestFinished, test } from "vitest";
import { createClient, type VegaClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { collect } from "../../support/page-source.js";
import { rejectionOf } from "../../support/recorder.js";

const baseUrl = "https://node.example";
const party = { partyId: "aa" };

type Use = (client: VegaClient) => PromiseLike<unknown>;

/** The frames of a stack that are in the client. */
const ownFrames = (stack = "") =>
  stack.split("\n").filter((line) => /\/src\/(?!testing)/.test(line) && !line.includes("/node_modules/"));

test.each<[what: string, most: number, use: Use]>([
  ["a call", 10, (client) => client.getSpamStatistics(party)],
  ["the second page of a loop", 18, (client) => collect(client.listBalanceChanges({ pagination: { first: 20 } }))],
])("the stack at a request of %s has at most %i functions of the client, and the caller", async (_, most, use) => {
  const { stackTraceLimit } = Error;
  onTestFinished(() => void Object.assign(Error, { stackTraceLimit }));
  Error.stackTraceLimit = 100;
  const stacks: (string | undefined)[] = [];
  const node = createFakeNode({ balances: 40 }, { rateLimit: false });
  const fetch = (request: Request) => {
    stacks.push(new Error("sent").stack);
    return node.fetch(request);
  };
  await (async function theCaller() {
    await use(createClient({ baseUrl, fetch }));
  })();
  const [first, stack = first] = stacks;
  expect(ownFrames(stack).length, stack).toBeLessThanOrEqual(most);
  expect(stack).toContain("theCaller");
});

const uses: Record<string, Use> = {
  "a call": async (client) => await client.getSpamStatistics(party),
  "a call with its response": async (client) => await client.getSpamStatistics(party).withResponse(),
  "a check": async (client) => await client.checkTransaction({ tx: {} }),
  "an awaited list": async (client) => await client.listVotes(party),
  "an array of a list": async (client) => await client.listVotes(party).toArray(),
  "a loop": async (client) => await collect(client.listVotes(party)),
  "a loop over pages": async (client) => await collect(client.listVotes(party).pages()),
  "a scan": async (client) => await collect(client.scanBalanceChanges()),
  "an array of a scan": async (client) => await client.scanBalanceChanges().toArray(),
};
const failures: Record<string, () => Promise<Response>> = {
  ApiError: async () => Response.json({ code: 3, message: "InvalidArgument error" }, { status: 400 }),
  ConnectionError: () => Promise.reject(new TypeError("fetch failed")),
  ResponseError: async () => Response.json([]),
  TimeoutError: () => new Promise(() => {}),
};
const cases = Object.entries(uses).flatMap(([use, run]) =>
  Object.entries(failures).map(([name, fetch]) => ({ use, name, run, fetch })),
);

test.each(cases)("the stack of an error has the line of the caller: $name of $use", async ({ name, run, fetch }) => {
  for (const address of [baseUrl, nodePool([baseUrl, "https://other.example"])]) {
    const client = createClient({ baseUrl: address, fetch, timeout: 20, retry: false, pacing: false });
    expect(await rejectionOf(run(client))).toMatchObject({ name, stack: expect.stringContaining("stack.test.ts") });
  }
});
