import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, type VegaClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { json } from "../../support/recorder.js";

const baseUrl = "https://node.example";
const party = { partyId: "a" };

/** The frames of a stack that are in the client. */
const ownFrames = (stack = "") =>
  stack.split("\n").filter((line) => /\/src\/(?!testing)/.test(line) && !line.includes("/node_modules/"));

describe("the stack at a request", () => {
  const limit = Error.stackTraceLimit;
  beforeAll(() => {
    Error.stackTraceLimit = 100;
  });
  afterAll(() => {
    Error.stackTraceLimit = limit;
  });

  /** The stack at each request. */
  async function stacksOf(use: (client: VegaClient) => PromiseLike<unknown>): Promise<(string | undefined)[]> {
    const stacks: (string | undefined)[] = [];
    const node = createFakeNode({ signatures: 5, balances: 50 }, { rateLimit: false });
    const fetch = (request: Request) => {
      stacks.push(new Error("sent").stack);
      return node.fetch(request);
    };
    await use(createClient({ baseUrl, fetch }));
    return stacks;
  }

  test("of a call has at most 10 functions of the client, and the caller", async () => {
    const [stack] = await stacksOf(async function caller(client) {
      await client.getSpamStatistics(party);
    });
    expect(ownFrames(stack).length, stack).toBeLessThanOrEqual(10);
    expect(stack).toContain("caller");
  });

  test("of the second page of a loop has at most 18, and the caller", async () => {
    const [, stack] = await stacksOf(async function caller(client) {
      for await (const _ of client.listBalanceChanges({ pagination: { first: 20 } }));
    });
    expect(ownFrames(stack).length, stack).toBeLessThanOrEqual(18);
    expect(stack).toContain("caller");
  });
});

describe("the stack of an error has the line of the caller:", () => {
  const uses: [name: string, use: (client: VegaClient) => PromiseLike<unknown>][] = [
    ["a call", async (client) => await client.getSpamStatistics(party)],
    ["a call with its response", async (client) => await client.getSpamStatistics(party).withResponse()],
    ["a check", async (client) => await client.checkTransaction({ tx: {} })],
    ["an awaited list", async (client) => await client.listVotes(party)],
    ["an array of a list", async (client) => await client.listVotes(party).toArray()],
    [
      "a loop",
      async (client) => {
        for await (const _ of client.listVotes(party));
      },
    ],
    [
      "a loop over pages",
      async (client) => {
        for await (const _ of client.listVotes(party).pages());
      },
    ],
    [
      "a scan",
      async (client) => {
        for await (const _ of client.scanBalanceChanges());
      },
    ],
    ["an array of a scan", async (client) => await client.scanBalanceChanges().toArray()],
  ];
  const failures: [name: string, fetch: () => Promise<Response>][] = [
    ["ApiError", async () => json({ code: 3, message: "InvalidArgument error" }, { status: 400 })],
    ["ConnectionError", () => Promise.reject(new TypeError("fetch failed"))],
    ["ResponseError", async () => json([])],
    ["TimeoutError", () => new Promise(() => {})],
  ];
  const cases = uses.flatMap(([use, run]) => failures.map(([name, fetch]) => ({ use, name, run, fetch })));

  test.each(cases)("$name of $use", async ({ name, run, fetch }) => {
    for (const address of [baseUrl, nodePool([baseUrl, "https://other.example"])]) {
      const client = createClient({ baseUrl: address, fetch, timeout: 20, retry: false });
      const error = await (async function theCaller() {
        await run(client);
      })().catch((error: unknown) => error as Error);
      expect(error).toMatchObject({ name });
      const own = (error as Error).stack?.split("\n").filter((line) => line.includes("stack.test.ts"));
      expect(own?.length, (error as Error).stack).toBeGreaterThan(0);
    }
  });
});
