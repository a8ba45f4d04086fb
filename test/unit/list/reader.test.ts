import { describe, expect, test } from "vitest";
import { operations } from "../../../generated/operations.js";
import type { Answer } from "../../../src/http/call.js";
import { type Expectation, MissingEvidence } from "../../../src/http/expectation.js";
import type { CallRequest } from "../../../src/http/request.js";
import type { BalanceChange } from "../../../src/index.js";
import type { PageRequest } from "../../../src/list/page.js";
import { type ListReaderOptions, pageReader } from "../../../src/list/reader.js";
import { ManualClock } from "../../support/manual-clock.js";
import { changesAt } from "../../support/records.js";

const { signal } = new AbortController();
const pageInfo = { hasNextPage: false, hasPreviousPage: false };
const edgesAt = (times: readonly bigint[]) => changesAt(times).map((node) => ({ cursor: "c", node }));

/** A response with these records, and its block: 0 for a node that has none yet. */
interface Evidence {
  times?: readonly bigint[];
  block?: bigint;
  /** The envelope, instead of a page with these records. */
  envelope?: unknown;
}

/** A reader at one address whose nodes send these responses; the last one is repeated. */
function readerOf(responses: readonly Evidence[], { isPool = false, catchUp = 3000 } = {}) {
  const clock = new ManualClock();
  const sent: { at: number; request: CallRequest<never> }[] = [];
  const send = async (request: CallRequest<never>): Promise<Answer<unknown>> => {
    const { times = [], block, ...shown } = responses[Math.min(sent.length, responses.length - 1)] ?? {};
    const envelope = "envelope" in shown ? shown.envelope : { edges: edgesAt(times), pageInfo };
    sent.push({ at: clock.now(), request });
    const data = request.read?.({ balances: envelope } as never);
    if (data === undefined) throw new Error("refused");
    const named = block === undefined ? undefined : { height: block && 1n, timestamp: block };
    return { data, response: new Response(), block: named, stale: false };
  };
  const connection = { send, clock, isPool, session: {} };
  const finalStatuses = { 500: "advice" };
  const options = { connection, route: {}, call: {}, operation: operations.listBalanceChanges, finalStatuses, catchUp };
  const read = pageReader<BalanceChange>(options as unknown as ListReaderOptions<BalanceChange>, { filter: {} });
  return {
    sent,
    session: connection.session,
    read: (expectation: Expectation = {}, request: PageRequest = { pagination: { newestFirst: false } }) =>
      clock.run(read(request, expectation, signal)),
    waits: () => sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0)),
  };
}

describe("a page of a list", () => {
  const [edge] = edgesAt([5n]);
  test.each<[what: string, envelope: unknown]>([
    ["that is missing", undefined],
    ["that is `null`", null],
    ["without edges", { pageInfo }],
    ["without `pageInfo`", { edges: [edge] }],
    ["whose `pageInfo` is empty", { edges: [edge], pageInfo: {} }],
    ["whose `hasNextPage` is `null`", { edges: [edge], pageInfo: { ...pageInfo, hasNextPage: null } }],
    ["with an edge that is `null`", { edges: [edge, null], pageInfo }],
    ["with a record that is `null`", { edges: [{ ...edge, node: null }], pageInfo }],
    ["with a record that is text", { edges: [{ ...edge, node: "5" }], pageInfo }],
    ["with a cursor that is a number", { edges: [{ ...edge, cursor: 5 }], pageInfo }],
    ["with a cursor that fits no URL", { edges: [{ ...edge, cursor: "\ud800" }], pageInfo }],
  ])("%s is refused", async (_, envelope) => {
    await expect(readerOf([{ envelope }]).read()).rejects.toThrow("refused");
  });

  test("whose `pageInfo` is `null` is the last one, and a number of a newer enumeration has its name", async () => {
    const node = { ...edge?.node, accountType: 24 };
    const envelope = { edges: [{ cursor: "c", node }], pageInfo: null };
    const { edges, pageInfo } = await readerOf([{ envelope }]).read();
    expect(pageInfo).toBeNull();
    expect(edges).toMatchObject([{ node: { accountType: "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" } }]);
  });

  test("is requested with the filters, and with whole microseconds as the end of its range", async () => {
    const { read, sent } = readerOf([{ times: [1000n], block: 9000n }]);
    const { extra } = await read({}, { pagination: { first: 1 }, start: 1000n, end: 1500n });
    const dateRange = { startTimestamp: "1000", endTimestamp: "2000" };
    expect(sent).toMatchObject([{ request: { params: { filter: {}, dateRange, pagination: { first: 1 } } } }]);
    expect(extra).toEqual({ response: expect.any(Response), block: { height: 1n, timestamp: 9000n }, stale: false });
    await read({}, { pagination: { first: 1 }, end: 1000n });
    expect(sent[1]?.request).toMatchObject({ params: { dateRange: { endTimestamp: "1000" } } });
  });

  test.each([
    [{ first: 1 }, undefined],
    [{ first: 1, after: "c" }, { 500: "advice" }],
  ])("is not retried after a status that rejects cursors if it has one: %j", async (pagination, finalStatuses) => {
    const { read, sent } = readerOf([{}]);
    await read({}, { pagination });
    expect(sent[0]?.request.finalStatuses).toEqual(finalStatuses);
  });
});

describe("behind one address, a page", () => {
  const complete = { historyFrom: 5n };
  const of = (time: bigint): Evidence => ({ times: [time] });
  const behind = Array<Evidence>(6).fill({ block: 8n });
  const [place] = changesAt([7n]);

  test.each<[what: string, expectation: Expectation, responses: Evidence[], time: bigint | undefined, waits: number[]]>(
    [
      ["with all that is needed is read once", complete, [{ times: [5n], block: 9n }], 5n, []],
      ["is read four times if its history is too short", complete, [{ times: [7n] }], 7n, [0, 0, 0]],
      ["is the one with the longest history", complete, [7n, 6n, 8n, 9n].map(of), 6n, [0, 0, 0]],
      ["is read until one has the history", complete, [{ times: [7n] }, { times: [5n] }], 5n, [0]],
      ["of an open range is read once, whatever its history", { historyFrom: 0n }, [{ times: [7n] }], 7n, []],
      ["of a node without a block is read again", {}, [{ block: 0n }, { times: [7n], block: 9n }], 7n, [0]],
      ["waits for a block", { minBlock: 9n }, [...behind, { ...of(7n), block: 9n }], 7n, [0, 0, 0, 250, 500, 1000]],
      ["with a place is read until it has it", { includes: place as never }, [{}, { times: [7n] }], 7n, [0]],
    ],
  )("%s", async (_, expectation, responses, time, waits) => {
    const reader = readerOf(responses);
    const { edges } = await reader.read(expectation);
    expect(edges[0]?.node?.timestamp).toBe(time?.toString());
    expect(reader.waits()).toEqual(waits);
  });

  test.each<[what: string, expectation: Expectation, response: Evidence, waits: number[]]>([
    ["a block within `catchUp`", { minBlock: 9n }, { block: 8n }, [0, 0, 0, 250, 500, 1000, 1000, 250]],
    ["a place", { includes: { partyId: "1" } }, { block: 9n }, [0, 0, 0]],
    ["a block of a node that has any", {}, { block: 0n }, [0, 0, 0]],
  ])("rejects if no response has %s", async (_, expectation, response, waits) => {
    const reader = readerOf([response]);
    await expect(reader.read(expectation)).rejects.toBeInstanceOf(MissingEvidence);
    expect(reader.waits()).toEqual(waits);
  });

  test("is given up once four responses of late blocks lack its place, whatever came before", async () => {
    const reader = readerOf([...Array(5).fill({ block: 8n }), { block: 9n }]);
    await expect(reader.read({ minBlock: 9n, includes: { partyId: "1" } })).rejects.toMatchObject({ missing: "place" });
    expect(reader.waits()).toEqual([0, 0, 0, 250, 500, 0, 0, 0]);
  });

  test("that was read before one that is behind is returned, with the history that it has", async () => {
    const reader = readerOf([{ times: [7n], block: 9n }, { block: 8n }], { catchUp: 0 });
    expect((await reader.read({ minBlock: 9n, historyFrom: 5n })).completeFrom).toBe(7n);
  });

  test("needs a block once another one had one, and a pool judges by itself", async () => {
    const reader = readerOf([{ times: [7n], block: 9n }, { times: [6n] }, { times: [5n], block: 9n }]);
    const timeOf = async () => (await reader.read({ needsBlock: true })).edges[0]?.node?.timestamp;
    expect([await timeOf(), await timeOf()]).toEqual(["7", "5"]);
    const nameless = readerOf([{ times: [7n] }]);
    for (let count = 0; count < 2; count++) await nameless.read({ needsBlock: true });
    expect(nameless.sent).toHaveLength(2);
    const pool = readerOf([{ times: [7n], block: 9n }, { times: [6n] }], { isPool: true });
    for (let count = 0; count < 2; count++) await pool.read({ needsBlock: true, historyFrom: 5n });
    expect(pool.sent).toHaveLength(2);
  });
});
