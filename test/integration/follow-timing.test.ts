import { describe, expect, test } from "vitest";
import { balanceChanges } from "../../src/follow/balance-changes.js";
import { PollingFollower } from "../../src/follow/polling-follower.js";
import { votes } from "../../src/follow/votes.js";
import { createFakeNode, nodeDefects } from "../../src/testing/index.js";
import { followSetting } from "../support/follow-setting.js";

const minute = 60_000;

/** A node whose blocks follow each other on the clock, and whose responses arrive after a while. */
function setting(blockTime: number, { latency = 0, records = () => ({}) } = {}) {
  const node = createFakeNode({ balances: 10, votes: 30 }, { defects: nodeDefects, rateLimit: false });
  const settings = followSetting(node.fetch, latency);
  const { clock, client, run } = settings;
  /** When each block has ended, by its time. */
  const endedAt = new Map<bigint, number>();
  const endBlock = () => {
    clock.after(blockTime, endBlock);
    const { height, timestamp } = node.block;
    endedAt.set(timestamp, clock.now());
    const block = { height: height + 1n, timestamp: timestamp + BigInt(blockTime) * 1_000_000n };
    node.nextBlock({ ...records(), block });
  };
  clock.after(blockTime, endBlock);
  /** How long after the end of its block each of a number of records is yielded. */
  const delaysOf = async (count: number): Promise<number[]> => {
    const delays: number[] = [];
    const read = async () => {
      for await (const { timestamp } of new PollingFollower(balanceChanges, client, {}, {}, settings)) {
        delays.push(clock.now() - (endedAt.get(BigInt(timestamp)) ?? Number.NaN));
        if (delays.length === count) break;
      }
    };
    await run(read());
    return delays;
  };
  return { node, settings, clock, client, run, delaysOf };
}

describe("a follower on a manual clock", () => {
  test.each([
    [1000, 0, 220],
    [1000, 80, 220],
    [700, 300, 220],
    [2500, 50, 440],
    [12_000, 50, 1040],
  ])(
    "yields each record within two blocks of %i ms and a latency of %i ms after its block has ended, by at most %i requests",
    async (blockTime, latency, most) => {
      const { node, delaysOf } = setting(blockTime, { latency, records: () => ({ balances: 2 }) });
      const delays = await delaysOf(200);
      expect(Math.max(...delays)).toBeLessThanOrEqual(2 * blockTime + latency);
      expect(node.requests.length).toBeLessThanOrEqual(most);
    },
  );

  const nobody = { filter: { partyIds: ["0".repeat(64)] } };
  test.each<[what: string, query: object | undefined, most: number]>([
    ["votes", undefined, 4],
    ["balance changes", {}, 8],
    ["balance changes of a party that has none", nobody, 10],
    ["balance changes of an asset that has none", { filter: { assetId: "0".repeat(64) } }, 40],
  ])("sends few requests a minute if no %s come", async (_, query, most) => {
    const { node, settings, clock, client, run } = setting(1000);
    const proposalId = node.records.votes[0]?.proposalId ?? "";
    const follower =
      query === undefined
        ? new PollingFollower(votes, client, { proposalId }, {}, settings)
        : new PollingFollower(balanceChanges, client, query, {}, settings);
    const pending = follower.next();
    await run(clock.sleep(5 * minute));
    for (let count = 0; count < 20; count++) {
      node.requests.length = 0;
      await run(clock.sleep(minute));
      expect(node.requests.length).toBeGreaterThanOrEqual(3);
      expect(node.requests.length).toBeLessThanOrEqual(most);
    }
    await follower.return();
    expect(await pending).toEqual({ done: true, value: undefined });
  });
});
