import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { createFakeNetwork, createFakeNode } from "../../../src/testing/index.js";
import { baseUrl } from "../../support/raw-requests.js";

const second = 1_000_000_000n;

describe("a fake node with the option `fill`", () => {
  test("has a hundred records of each list that the data leaves out, as many as without any data", () => {
    const { votes, ...others } = createFakeNode({ votes: 250, profiles: undefined }, { fill: true }).records;
    const without = createFakeNode().records;
    expect(votes).toEqual(createFakeNode({ votes: 250 }).records.votes);
    expect({ ...others, votes }).toEqual({ ...without, votes });
    expect(createFakeNode({ votes: [] }, { fill: true }).records.votes).toEqual([]);
    expect(createFakeNode({ votes: 250 }).records.profiles).toEqual([]);
  });

  test("completes records so that clients read all members, and none replaces another one", async () => {
    const data = {
      votes: [{ partyId: "alice" }, { partyId: "bob", value: "VALUE_NO" }, {}],
      profiles: [{ alias: "Ana" }, {}, { partyId: "alice" }],
      balances: [{ partyId: "alice", balance: "5" }, { partyId: "alice" }, {}],
      signatures: [{ sig: null }, {}, { kind: 3 }],
      spamStatistics: { alice: { epochSeq: "7" as const } },
    };
    const node = createFakeNode(data, { fill: true });
    const client = createClient({ baseUrl, fetch: node.fetch });
    const { records } = node;
    expect(records.votes).toMatchObject(data.votes);
    expect(new Set(records.votes.map(({ proposalId }) => proposalId)).size).toBe(1);
    expect(await client.listVotes({ proposalId: records.votes[0]?.proposalId ?? "" }).toArray()).toHaveLength(3);
    expect(records.profiles).toMatchObject(data.profiles);
    expect(records.balances).toMatchObject(data.balances);
    expect(records.signatures).toMatchObject(data.signatures);
    expect(await client.listNodeSignatures({ id: records.signatures[0]?.id ?? "" }).toArray()).toHaveLength(3);
    const { statistics } = await client.getSpamStatistics({ partyId: "alice" });
    expect(statistics).toMatchObject({ epochSeq: "7", votes: { maxForEpoch: "3" } });
    for (const name of ["votes", "profiles", "balances", "signatures"] as const) {
      const [generated] = createFakeNode({ [name]: 1 }).records[name];
      expect(records[name]).toHaveLength(3);
      for (const record of records[name])
        expect(Object.keys(record).sort()).toEqual(Object.keys(generated ?? {}).sort());
    }
  });

  test("gives records without a time those of the last blocks, a second apart, in their order", () => {
    const node = createFakeNode(
      {
        votes: [{}, {}, {}],
        balances: [{}, { timestamp: "5000" }, {}],
        block: { height: 9n, timestamp: 100n * second },
      },
      { fill: true },
    );
    expect(node.records.votes.map(({ timestamp }) => timestamp)).toEqual(
      [97n, 98n, 99n].map((time) => `${time * second}`),
    );
    expect(node.records.balances.map(({ timestamp }) => timestamp)).toEqual([
      `${97n * second}`,
      "5000",
      `${99n * second}`,
    ]);
  });

  test("casts a vote at its `blockTime` if it has no other time", () => {
    const { votes } = createFakeNode({ votes: [{ blockTime: "7000" }] }, { fill: true }).records;
    expect(votes[0]?.timestamp).toBe("7000");
  });

  test("completes the records of later blocks, with the time of the block, and generates none", () => {
    const network = createFakeNetwork({ votes: [{ partyId: "alice" }], balances: [] }, { fill: true });
    const { timestamp } = network.block;
    const before = network.records.profiles.length;
    network.nodes[0]?.addRecords({ votes: [{ partyId: "bob" }] });
    network.nextBlock({ votes: [{}, {}], balances: [{ balance: "3" }, {}] });
    expect(network.records.votes.slice(1).map((vote) => vote.timestamp)).toEqual(Array(3).fill(`${timestamp}`));
    expect(network.records.balances.map((change) => change.timestamp)).toEqual(Array(2).fill(`${timestamp}`));
    expect(network.records.profiles).toHaveLength(before);
  });

  test("completes records the same way for the same seed", () => {
    const data = { votes: [{}, {}], signatures: [{}, {}], balances: [{}] };
    const create = (seed: number) => createFakeNode({ ...data, seed }, { fill: true }).records;
    expect(create(5)).toEqual(create(5));
    expect(create(5).signatures).not.toEqual(create(6).signatures);
  });

  test.each<[argument: string, data: unknown, options: unknown]>([
    ["options.fill", {}, { fill: 1 }],
    ["data.votes[0]", { votes: [null] }, { fill: true }],
    ["data.votes", { votes: {} }, { fill: true }],
    ["data.votes[1].partyId", { votes: [{}, { partyId: 5 }] }, { fill: true }],
    ["data.spamStatistics.alice", { spamStatistics: { alice: 5 } }, { fill: true }],
    ["data.spamStatistics", { spamStatistics: "alice" }, { fill: true }],
  ])("rejects an invalid `%s`", (argument, data, options) => {
    expect(() => createFakeNode(data as never, options as never)).toThrow(
      expect.objectContaining({ name: "ArgumentError", argument }),
    );
  });

  test("cannot be configured to fill later", () => {
    expect(() => createFakeNode().configure({ fill: true } as never)).toThrow("configure has no option `fill`.");
  });
});

test("records can lack members, for the compiler too, only with the option `fill`", () => {
  const node = createFakeNode({ votes: [{ value: "VALUE_NO" }] }, { fill: true });
  node.nextBlock({ votes: [{ value: "VALUE_NO" }] });
  node.advanceEvery(1000, { records: () => ({ balances: [{}] }), after: () => () => {} });
  // @ts-expect-error The vote has no party.
  expect(() => createFakeNode({ votes: [{ value: "VALUE_NO" }] })).toThrow("data.votes[0].partyId");
  // @ts-expect-error The change has no time.
  expect(() => createFakeNode().nextBlock({ balances: [{ balance: "1" }] })).toThrow("data.balances[0].timestamp");
});
