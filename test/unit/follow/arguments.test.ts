import { describe, expect, test } from "vitest";
import { followBalanceChanges, followNodeSignatures, followVotes } from "../../../src/follow/index.js";
import { ArgumentError, createClient } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";

/** Values as JavaScript code passes them, without a check by the compiler. */
const unchecked = (json: string) => JSON.parse(json);

function setting() {
  const node = createFakeNode();
  return { node, client: createClient({ baseUrl: "https://node.example", fetch: node.fetch }) };
}

describe("an invalid argument of a follower", () => {
  const { client } = setting();
  const cases: [message: string, follow: () => AsyncIterator<unknown>][] = [
    [
      'Expected `from` of followVotes to be "now", "start" or a time that toNanoseconds() reads, got "yesterday".',
      () => followVotes(client, { proposalId: "a" }, { from: "yesterday" }),
    ],
    [
      "Expected `pollInterval` of followVotes to be a number of milliseconds from 0 to 2147483647, got -1.",
      () => followVotes(client, { proposalId: "a" }, { pollInterval: -1 }),
    ],
    [
      "Expected `stalledAfter` of followBalanceChanges to be a positive number of milliseconds up to 2147483647, or Infinity, got 0.",
      () => followBalanceChanges(client, {}, { stalledAfter: 0 }),
    ],
    [
      "followNodeSignatures has no option `from`.",
      () => followNodeSignatures(client, { id: "a" }, unchecked('{ "from": "now" }')),
    ],
    [
      "followBalanceChanges has no `dateRange`. Expected `filter`.",
      () => followBalanceChanges(client, unchecked('{ "dateRange": {} }')),
    ],
    [
      "followVotes has no `pagination`. Expected `partyId`, `proposalId`.",
      () => followVotes(client, unchecked('{ "proposalId": "a", "pagination": {} }')),
    ],
    ["Expected `partyId` or `proposalId` of followVotes, got neither.", () => followVotes(client, unchecked("{}"))],
    [
      "Expected `id` of followNodeSignatures to be a non-empty string, got undefined.",
      () => followNodeSignatures(client, unchecked("{}")),
    ],
    [
      "Expected `timeout` of followBalanceChanges to be a positive number of milliseconds up to 2147483647, or Infinity, got 0.",
      () => followBalanceChanges(client, {}, { timeout: 0 }),
    ],
  ];

  test.each(cases)("rejects when the follower is used: %s", async (message, follow) => {
    const follower = follow();
    const error: unknown = await follower.next().catch((reason: unknown) => reason);
    expect(ArgumentError.is(error) && error.message).toContain(message);
    expect(await follower.next()).toEqual({ done: true, value: undefined });
  });

  test("sends nothing", async () => {
    const { node, client } = setting();
    await expect(followVotes(client, { proposalId: "a" }, { from: "soon" }).next()).rejects.toThrow(ArgumentError);
    await expect(followVotes(client, unchecked("{}")).batches().next()).rejects.toThrow(ArgumentError);
    expect(node.requests).toEqual([]);
  });

  test("that is no client is named", async () => {
    await expect(followVotes(unchecked("{}"), { proposalId: "a" }).next()).rejects.toThrow(
      "Expected `client` of followVotes to be a client, got an object.",
    );
  });
});

test("the options of a call apply to each request of a follower", async () => {
  const { node, client } = setting();
  const follower = followBalanceChanges(
    client,
    {},
    { from: "start", headers: { "X-Test": "1" }, retry: { attempts: 1 } },
  );
  await follower.next();
  await follower.return(undefined);
  expect(node.requests[0]?.headers).toMatchObject({ "x-test": "1" });
});
