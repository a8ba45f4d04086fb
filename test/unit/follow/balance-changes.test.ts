import { describe, expect, test } from "vitest";
import { balanceChanges as kind } from "../../../src/follow/balance-changes.js";
import { type FollowOptions, StalledError } from "../../../src/follow/options.js";
import { compareRecords } from "../../../src/scan/timeline.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../../src/testing/index.js";
import { batchOf, endBlock, followerOf, nodeAt, type Served, take, timeAt } from "../../support/follow-setting.js";
import { changeAt, hex } from "../../support/records.js";

const day = 86_400;

/** The balance of an account in a block. */
const change = (seconds: number, account: number) => changeAt(timeAt(seconds), { assetId: hex(account) });

const follow = (node: Served, options?: FollowOptions, pageSize?: number, query = {}) =>
  followerOf(kind, node, query, options, pageSize);

/** A party without records, and its filter. */
const other = hex(2);
const ofOther = { filter: { partyIds: [other] } };

/** The first batch from a place on. */
const firstBatch = (node: FakeNode, from: FollowOptions["from"], pageSize?: number) =>
  follow(node, { from }, pageSize).take(1);

describe("a follower of balance changes", () => {
  test("begins at the oldest record, a time or the resume of a batch", async () => {
    const records = [change(1, 1), change(2, 1), change(2, 2), change(3, 1)];
    const node = nodeAt(5, { balances: records });
    const time = timeAt(2);
    const date = new Date(Number(time / 1_000_000n));
    const times = [time, `${time}` as const, date, date.toISOString(), { epochNanoseconds: time }];
    for (const from of ["start", 0n] as const) {
      const { take, requests } = follow(node, { from });
      expect(await take(1)).toMatchObject([batchOf(records, 5)]);
      expect(requests).toHaveLength(2);
    }
    for (const from of times) expect(await firstBatch(node, from)).toMatchObject([batchOf(records.slice(1), 5)]);
    expect(await firstBatch(node, time + 1n)).toMatchObject([batchOf(records.slice(3), 5)]);
    expect(await firstBatch(nodeAt(1000), timeAt(1))).toMatchObject([batchOf([], 1000)]);
    const [batch] = await firstBatch(node, "start", 3);
    expect(batch).toMatchObject({ resume: `${time}` });
    expect(JSON.parse(JSON.stringify(batch))).toMatchObject({ from: `${batch?.from}`, upTo: `${time}` });
  });

  test("takes a filter that is too long for one URL", async () => {
    const partyIds = Array.from({ length: 300 }, (_, index) => hex(9 + index));
    const ofParty = (seconds: number, index: number) => ({ ...change(seconds, 1), partyId: partyIds[index] as string });
    for (const from of ["now", "start", timeAt(2)] as const) {
      const node = nodeAt(3, { balances: [change(1, 1)] });
      const { take } = follow(node, { from }, 5000, { filter: { partyIds } });
      expect(await take(1)).toMatchObject([{ records: [], upTo: timeAt(3) }]);
      endBlock(node, 4, { balances: [ofParty(3, 0), ofParty(3, 299), change(3, 1)] });
      expect(await take(1)).toMatchObject([{ records: [ofParty(3, 0), ofParty(3, 299)], upTo: timeAt(4) }]);
      endBlock(node, 5, { balances: [ofParty(4, 150)] });
      expect(await take(1)).toMatchObject([{ records: [ofParty(4, 150)], upTo: timeAt(5) }]);
    }
  });

  test("is complete from its oldest record on, also if the parts of a long filter begin at different times", async () => {
    const partyIds = Array.from({ length: 100 }, (_, index) => hex(9 + index));
    const ofParty = (seconds: number, index: number) => ({ ...change(seconds, 1), partyId: partyIds[index] as string });
    const early = Array.from({ length: 12 }, (_, at) => ofParty(2 + at, 0));
    const node = nodeAt(60, { balances: [change(1, 1), ...early, ofParty(40, 99)] });
    const { take } = follow(node, { from: "start" }, 5, { filter: { partyIds } });
    const batches = await take(4);
    expect(batches.flatMap(({ records }) => records)).toEqual([...early, ofParty(40, 99)]);
    expect(batches[0]).toMatchObject({ from: timeAt(2) });
  });

  test("begins in few requests, although the client selects the records of its account type itself", async () => {
    const rare = { ...change(1, 1), accountType: "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" as const };
    const node = nodeAt(900, { balances: [rare, ...Array.from({ length: 800 }, (_, at) => change(2 + at, 1))] });
    const query = { filter: { accountTypes: [rare.accountType] } };
    const { take, requests } = follow(node, { from: timeAt(500) }, 5000, query);
    expect(await take(1)).toMatchObject([batchOf([], 900)]);
    expect(requests.length).toBeLessThan(6);
  });

  test.each([
    ["start", [change(1, 1)]],
    ["now", []],
  ] as const)(
    "from %s, yields no record of the current block, which the node has, and no batch for it twice",
    async (from, first) => {
      const node = nodeAt(2, { balances: [change(1, 1)] });
      const records = [change(3, 1), { ...change(3, 2), timestamp: `${timeAt(3) + 1000n}` as const }];
      endBlock(node, 4, { balances: records });
      let block = 3;
      const fetch = async (request: Request) => {
        const response = await node.fetch(request);
        response.headers.set("x-block-timestamp", `${timeAt(block)}`);
        return response;
      };
      const { take, clock } = follow({ fetch }, { from });
      expect(await take(1)).toMatchObject([batchOf(first, 3)]);
      block = 2;
      for (const next of [3, 4])
        clock.after(10_000 * (next - 2), () => {
          block = next;
        });
      expect(await take(1)).toMatchObject([batchOf(records, 4)]);
    },
  );

  test("yields a long history page by page, without a wait between the pages", async () => {
    const node = createFakeNode({ balances: 3000 }, { defects: nodeDefects, rateLimit: false });
    const { follower, run, requests } = follow(node, { from: "start" }, 500);
    expect(await run(take(follower, 3000))).toEqual([...node.records.balances].sort(compareRecords));
    expect(requests.length).toBeGreaterThan(3);
    expect(requests.every(({ time }) => time === 0)).toBe(true);
  });

  test("begins by default with the current block: requests the newest record, and then what follows the last known one", async () => {
    const node = nodeAt(3, { balances: [change(1, 1), change(2, 1)] });
    const { take, requests } = follow(node, {}, 50);
    expect(await take(1)).toMatchObject([batchOf([], 3)]);
    for (const seconds of [4, 5, 6]) {
      const balances = [change(seconds - 1, 1), change(seconds - 1, 2)];
      endBlock(node, seconds, { balances });
      expect(await take(1)).toMatchObject([batchOf(balances, seconds)]);
    }
    const names = ["pagination.first", "dateRange.startTimestamp"];
    const sent = requests.map(({ url }) => names.map((name) => url.searchParams.get(name)));
    // The end is requested once more, from the record before the last one on.
    const following = [2, 3, 4].flatMap((seconds) => ["150", "101"].map((size) => [size, `${timeAt(seconds)}`]));
    expect(sent).toEqual([["1", null], ...following]);
  });

  test("continues from its checkpoint if the node has dropped the last record before it, as of an account that rarely changes", async () => {
    const others = [1, 2, 2.9].map((days) => ({ ...change(days * day, 1), partyId: other }));
    const node = nodeAt(3 * day, { balances: [change(1, 1), ...others] });
    const { take, requests, clock } = follow(node, {}, 5000, {
      filter: { partyIds: [change(1, 1).partyId as string] },
    });
    await take(1);
    endBlock(node, 3 * day + 1);
    expect(await take(1)).toMatchObject([batchOf([], 3 * day + 1)]);
    expect(requests).toHaveLength(3);
    node.configure({ history: timeAt(2 * day) });
    endBlock(node, 3 * day + 2);
    expect(await take(1)).toMatchObject([batchOf([], 3 * day + 2)]);
    // One request a poll, as long as nothing comes.
    requests.length = 0;
    clock.after(5000, () => endBlock(node, 3 * day + 3, { balances: [change(3 * day + 2, 1)] }));
    expect(await take(1)).toMatchObject([batchOf([change(3 * day + 2, 1)], 3 * day + 3)]);
    const early = requests.filter(({ time }) => time < (requests[0]?.time ?? 0) + 4000);
    expect(early).toHaveLength(new Set(early.map(({ time }) => time)).size);
  });

  test("does not read what is before its checkpoint again, if a node that is behind responds first", async () => {
    const balances = Array.from({ length: 800 }, (_, at) => change(1 + at, 1));
    const [behind, node] = [nodeAt(100, { balances: balances.slice(0, 99) }), nodeAt(801, { balances })];
    let isFirst = true;
    const fetch = (request: Request) => (isFirst ? behind : node).fetch(request).finally(() => (isFirst = false));
    const { take, requests } = follow({ fetch }, { from: timeAt(799) }, 5);
    expect(await take(1)).toMatchObject([batchOf(balances.slice(-2), 801)]);
    expect(requests.length).toBeLessThan(6);
  });

  test("goes on if the node has dropped all records of an asset before its checkpoint, which nothing else proves", async () => {
    const others = [1, 2, 2.9].map((days) => ({ ...change(days * day, 1), assetId: other }));
    const node = nodeAt(3 * day, { balances: [change(1, 1), ...others] });
    const { take } = follow(node, {}, 5000, { filter: { assetId: change(1, 1).assetId as string } });
    await take(1);
    node.configure({ history: timeAt(2 * day) });
    endBlock(node, 3 * day + 1);
    expect(await take(1)).toMatchObject([{ ...batchOf([], 3 * day + 1), from: timeAt(3 * day + 1) }]);
  });

  // Which requests the node answers that is behind, while another one has nothing of its history.
  const isFirst = (_: URL, index: number) => index === 0;
  const isSearch = ({ searchParams }: URL) => searchParams.has("dateRange.endTimestamp");
  // The search for a record up to the checkpoint, where the response of the node proves that the other one lacks it.
  const isFirstOrProof = ({ searchParams }: URL, index: number) =>
    index === 0 || BigInt(searchParams.get("dateRange.endTimestamp") ?? 0) > timeAt(10);
  test.each([
    ["now", isFirst, []],
    [timeAt(5), isFirst, []],
    [timeAt(5), isSearch, []],
    ["now", isFirstOrProof, [change(25, 1)]],
  ] as const)("waits for the node that has what follows its checkpoint: from %s, %o", async (from, isOfNode, later) => {
    const [node, newer] = [nodeAt(10, { balances: [change(1, 1)] }), nodeAt(30, { balances: later })];
    let sent = 0;
    let isBehind = true;
    const fetch = (request: Request) =>
      (isBehind && !isOfNode(new URL(request.url), sent++) ? newer : node).fetch(request);
    const { take, clock } = follow({ fetch }, { from });
    if (from === "now") await take(1);
    const balances = [change(12, 1), ...later];
    clock.after(20_000, () => {
      isBehind = false;
      endBlock(node, 30, { balances });
    });
    expect(await take(1)).toMatchObject([batchOf(balances, 30)]);
  });

  test("waits for a proof if only some nodes have dropped all records of an asset before its checkpoint", async () => {
    const records = [{ ...change(4, 1), assetId: other }, change(12, 1)];
    const node = nodeAt(30, { balances: [{ ...change(1, 1), partyId: other }, ...records] });
    const newer = nodeAt(30, { balances: records });
    let sent = 2;
    const fetch = (request: Request) => (sent++ % 4 > 0 ? newer : node).fetch(request);
    const query = { filter: { assetId: change(1, 1).assetId as string, partyIds: [change(1, 1).partyId as string] } };
    const { take, clock } = follow({ fetch }, { from: timeAt(5) }, 5000, query);
    // Meanwhile, the chain goes on.
    for (const seconds of [40, 50, 60, 70])
      clock.after((seconds - 30) * 1000, () => [node, newer].map((each) => endBlock(each, seconds)));
    expect(await take(1)).toMatchObject([{ records: [change(12, 1)], from: timeAt(5) }]);
  });

  test.each([0, 1, 2, 3])(
    "waits for a node that is behind and has records of others before its checkpoint, if each fourth of 40 responses is of it: %i",
    async (turn) => {
      const newer = nodeAt(30, { balances: [change(25, 1)] });
      const node = nodeAt(10, { balances: [{ ...change(1, 1), partyId: other }] });
      let sent = turn;
      let isBehind = true;
      const fetch = (request: Request) => (isBehind && (sent > 40 || sent++ % 4 > 0) ? newer : node).fetch(request);
      const filter = { partyIds: [change(1, 1).partyId as string] };
      const { take, clock } = follow({ fetch }, { from: timeAt(5) }, 5000, { filter });
      clock.after(20_000, () => {
        isBehind = false;
        endBlock(node, 30, { balances: [change(12, 1), change(25, 1)] });
      });
      expect(await take(1)).toMatchObject([batchOf([change(12, 1), change(25, 1)], 30)]);
    },
  );

  test.each(["v0.74", "v0.79"] as const)(
    "yields the first batch at once, also of a party without records, and then one for a minute of blocks: %s",
    async (version) => {
      const node = nodeAt(30, { balances: [change(1, 1), change(20, 1)] });
      node.configure({ version });
      const { take, requests } = follow(node, { from: timeAt(25) }, 5000, ofOther);
      expect(await take(1)).toMatchObject([batchOf([], 30)]);
      for (const seconds of [40, 80, 90]) endBlock(node, seconds);
      expect(await take(1)).toMatchObject([batchOf([], 90)]);
      endBlock(node, 100);
      requests.length = 0;
      await take(1).catch((error: unknown) => expect(StalledError.is(error)).toBe(true));
      for (const { url } of requests) expect(url.searchParams.get("pagination.first")).toBe("1");
      // One request a poll.
      expect(requests).toHaveLength(new Set(requests.map(({ time }) => time)).size);
    },
  );

  test.each(["now", "start"] as const)(
    "yields the first record of a network from %s on, and tells that nothing shows whether there were others before",
    async (from) => {
      const node = nodeAt(30);
      const { take } = follow(node, { from });
      expect(await take(1)).toMatchObject([batchOf([], 30)]);
      for (const seconds of [40, 100, 105]) endBlock(node, seconds);
      expect(await take(1)).toMatchObject([{ ...batchOf([], 105), from: timeAt(105) }]);
      endBlock(node, 106);
      endBlock(node, 107, { balances: [change(106, 1)] });
      expect(await take(1)).toMatchObject([{ ...batchOf([change(106, 1)], 107), from: timeAt(106) }]);
    },
  );

  test.each(["now", "start", timeAt(20)])(
    "ends with an error if nodes keep nothing up to its checkpoint, and it began with a time or they did keep something: %s",
    async (from) => {
      const node = nodeAt(30, typeof from === "bigint" ? undefined : { balances: [change(1, 1)] });
      const { take } = follow(node, { from }, 5000, ofOther);
      await take(1);
      for (const seconds of [100, 101]) endBlock(node, seconds);
      await take(1);
      node.configure({ history: timeAt(2) });
      endBlock(node, 102);
      endBlock(node, 104, { balances: [{ ...change(102, 1), partyId: other }] });
      const message = expect.stringContaining("Begin at `availableFrom`, or use a node that keeps more.");
      await expect(take(1)).rejects.toMatchObject({ message, reason: "pruned", availableFrom: timeAt(102) });
    },
  );

  test.each([{ "x-block-height": "" }, { "x-block-timestamp": "soon" }])(
    "ends with an error after a response without a block: %j",
    async (headers) => {
      const body = JSON.stringify({ balances: { edges: [], pageInfo: { hasNextPage: false } } });
      const block = { "x-block-height": "1", "x-block-timestamp": "5000", ...headers };
      const message = expect.stringContaining("followBalanceChanges got a response without X-Block-Height and");
      for (const from of ["start", "now"] as const) {
        const { take } = follow({ fetch: async () => new Response(body, { headers: block }) }, { from });
        await expect(take(1)).rejects.toMatchObject({ name: "VegaError", message, resume: { from } });
      }
    },
  );
});
