import { expect, test } from "vitest";
import { followBalanceChanges, followNodeSignatures, followVotes } from "../../../src/follow/index.js";
import { ArgumentError, createClient, toDate } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";

const node = createFakeNode();
const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
const votes = { proposalId: "aa" };
const id = { id: "aa" };

test.each<[message: string, follow: () => AsyncIterator<unknown>]>([
  ['Expected `from` of followVotes to be "now", "start" or', () => followVotes(client, votes, { from: "yesterday" })],
  ["Expected `client` of followVotes to be a client, got undefined.", () => followVotes(undefined as never, votes)],
  ["from 0 to 2147483647, got -1.", () => followVotes(client, votes, { pollInterval: -1 })],
  ["followNodeSignatures has no option `from`.", () => followNodeSignatures(client, id, { from: "now" } as object)],
  ["has no `dateRange`. Expected `filter`.", () => followBalanceChanges(client, { dateRange: {} } as object)],
  ["Expected `partyId` or `proposalId` of followVotes, got neither.", () => followVotes(client, {} as never)],
  ["to be an id: an even number of hexadecimal digits", () => followNodeSignatures(client, {} as never)],
])("a follower rejects when it is used, and sends nothing: %s", async (message, follow) => {
  const follower = follow();
  const error: unknown = await follower.next().catch((reason: unknown) => reason);
  expect(ArgumentError.is(error) && error.message).toContain(message);
  expect(await follower.next()).toEqual({ done: true, value: undefined });
  expect(node.requests).toEqual([]);
});

test("a follower ends with an error if responses have no block", async () => {
  const { fetch, records } = createFakeNode({}, { blockHeaders: false });
  const silent = createClient({ baseUrl: "https://node.example", fetch });
  const { proposalId = "" } = records.votes[0] ?? {};
  const followers = [
    followVotes(silent, { proposalId }),
    followNodeSignatures(silent, id),
    followBalanceChanges(silent, {}),
  ];
  const message = "got a response without X-Block-Height and X-Block-Timestamp.";
  for (const follower of followers) await expect(follower.next()).rejects.toThrow(message);
});

test("the options of a call apply to each request of a follower", async () => {
  const options = { from: "start", headers: { "X-Test": "1" }, retry: { attempts: 1 } };
  const follower = followBalanceChanges(client, {}, options);
  await follower.next();
  await follower.return(undefined);
  expect(node.requests[0]?.headers).toMatchObject({ "x-test": "1" });
});

test("a follower takes its arguments when it is created", async () => {
  const changes = [...createFakeNode().records.balances].sort((a, b) =>
    Number(BigInt(a.timestamp) - BigInt(b.timestamp)),
  );
  const { assetId = "", timestamp = "0" } = changes[50] ?? {};
  const query = { filter: { assetId } };
  const options = { from: toDate(timestamp), pollInterval: 0 };
  const follower = followBalanceChanges(client, query, options);
  query.filter.assetId = changes.find((each) => each.assetId !== assetId)?.assetId ?? "";
  options.from.setTime(Date.now());
  options.pollInterval = -1;
  expect(await follower.until(() => true)).toMatchObject({ assetId, timestamp });
});
