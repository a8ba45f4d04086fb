import { describe, expect, test } from "vitest";
import { createFakeNode, type FakeNode } from "../../../src/testing/index.js";
import { fetchFrom, transaction as tx } from "../../support/raw-requests.js";

/** `inputData` of a transaction for a block: a nonce and the height. */
function inputDataFor(height: number): string {
  const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
  return Buffer.from([0x08, 1, 0x10, ...varint(height)]).toString("base64");
}

const post = (node: FakeNode, body: string) => fetchFrom(node, "/transaction/check", { method: "POST", body });
const check = async (node: FakeNode, tx: object | null) => (await post(node, JSON.stringify({ tx }))).body;

describe("the check of a fake node", () => {
  test("passes a well-formed transaction once in a block", async () => {
    const node = createFakeNode();
    const passed = { success: true, code: 0, gasWanted: "1", gasUsed: "0", data: "", log: "", info: "" };
    const data = "proof of work tid already seen by the node";
    expect(await check(node, tx)).toEqual(passed);
    expect(await check(node, tx)).toEqual({ ...passed, success: false, code: 89, gasWanted: "0", data });
    expect(await check(node, { ...tx, pow: { tid: "02".repeat(32), nonce: "7" } })).toEqual(passed);
    node.nextBlock();
    expect(await check(node, { ...tx, version: 3, inputData: inputDataFor(1_234_469), unknown: 1 })).toEqual(passed);
  });

  test("passes each transaction that the node creates, also for a later block and with other members", async () => {
    const node = createFakeNode({ block: { height: 2n ** 40n, timestamp: 1n } });
    const first = node.createTransaction();
    node.nextBlock();
    for (const tx of [first, node.createTransaction(), node.createTransaction({ pubKey: "cd".repeat(32) })])
      expect(await check(node, tx)).toMatchObject({ success: true });
    expect(node.createTransaction({ pubKey: "ef" }).pubKey).toBe("ef");
    for (let block = 0; block < 100; block++) node.nextBlock();
    expect(await check(node, first)).toMatchObject({ code: 89, data: "transaction too old" });
  });

  test.each<[name: string, tx: object | null, code: number, reason: string]>([
    ["null", null, 60, "tx (is required)"],
    ["another version", { ...tx, version: 1 }, 60, "tx.version (is not supported)"],
    ["another key", { ...tx, pubKey: "0xab" }, 60, "tx.from.pub_key (should be a valid vega public key)"],
    ["damaged data", { ...tx, inputData: "CPjq" }, 60, "tx.input_data (unable to unmarshal)"],
    [
      "a short signature",
      { ...tx, signature: { ...tx.signature, value: "ab" } },
      60,
      "tx.signature.value (invalid signature)",
    ],
    ["a block that is too old", { ...tx, inputData: inputDataFor(1_234_467) }, 89, "transaction too old"],
    ["no block", { ...tx, inputData: "CAE=" }, 89, "transaction too old"],
    ["no proof of work", { ...tx, pow: undefined }, 89, "failed to verify proof of work"],
    ["no nonce", { ...tx, pow: { tid: "06".repeat(32) } }, 89, "failed to verify proof of work"],
  ])(
    "rejects a transaction with %s: code %o, a reason in `data`, and in `info` for code 60",
    async (_, tx, code, reason) => {
      const result = { success: false, code, gasWanted: "0", gasUsed: "0", data: reason, log: "" };
      expect(await check(createFakeNode(), tx)).toEqual({ ...result, info: code === 60 ? reason : "" });
    },
  );

  test("responds with the code that `checkCode` returns", async () => {
    const node = createFakeNode({}, { checkCode: ({ pubKey }) => (pubKey === tx.pubKey ? 70 : 0) });
    expect(await check(node, tx)).toMatchObject({ success: false, code: 70, data: expect.stringMatching(/./) });
    node.nextBlock();
    expect(await check(node, { ...tx, pubKey: "cd".repeat(32) })).toMatchObject({ success: true });
  });

  test.each([
    "hello",
    '{"tx":{"version":"3"}}',
    '{"tx":{"version":1.5}}',
    '{"tx":{"pubKey":5}}',
    '{"tx":{"pow":{"nonce":"-1"}}}',
    '{"tx":{"pow":{"nonce":"18446744073709551616"}}}',
  ])("rejects the body %s with status 400 in the gateway", async (body) => {
    const { status, headers, body: error } = await post(createFakeNode(), body);
    expect({ status, ...error }).toEqual({ status: 400, code: 3, message: expect.stringMatching(/./), details: [] });
    expect(headers.has("x-block-height")).toBe(false);
  });
});
