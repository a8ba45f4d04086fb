import { describe, expect, test } from "vitest";
import { createFakeNode, type FakeNode } from "../../../src/testing/index.js";
import { fetchFrom, transaction as tx } from "../../support/raw-requests.js";

const post = (node: FakeNode, body: string) => fetchFrom(node, "/transaction/check", { method: "POST", body });
const check = async (node: FakeNode, tx: object | null) => (await post(node, JSON.stringify({ tx }))).body;

describe("the check of a fake node", () => {
  test("passes a well-formed transaction once in a block, and each that the node creates", async () => {
    const node = createFakeNode();
    const passed = { success: true, code: 0, gasWanted: "1", gasUsed: "0", data: "", log: "", info: "" };
    const data = "proof of work tid already seen by the node";
    expect(await check(node, tx)).toEqual(passed);
    expect(await check(node, tx)).toEqual({ ...passed, success: false, code: 89, gasWanted: "0", data });
    for (const created of [node.createTransaction(), node.createTransaction({ pubKey: "cd".repeat(32) })])
      expect(await check(node, created)).toEqual(passed);
    node.nextBlock();
    expect(await check(node, { ...tx, version: 3, unknown: 1 })).toEqual(passed);
    expect(node.createTransaction({ pubKey: "ef" }).pubKey).toBe("ef");
  });

  const signature = { ...tx.signature, value: "ab" };
  const prefixed = { ...tx.signature, value: `0x${tx.signature.value}` };
  test.each<[name: string, tx: object | null, code: number, reason: string]>([
    ["null", null, 60, "tx (is required)"],
    ["another version", { ...tx, version: 1 }, 60, "tx.version (is not supported)"],
    ["no key", { ...tx, pubKey: null }, 60, "tx.from (is required)"],
    ["an address alone", { ...tx, pubKey: undefined, address: "ab" }, 60, "tx.from.pub_key (is required)"],
    ["no command", { ...tx, inputData: null }, 60, "tx.input_data (is required)"],
    ["no value of a signature", { ...tx, signature: { value: null } }, 60, "tx.signature.value (is required)"],
    ["another key", { ...tx, pubKey: "0xab" }, 60, "tx.from.pub_key (should be a valid vega public key)"],
    ["a short signature", { ...tx, signature }, 60, "tx.signature.value (invalid signature)"],
    ["0x before a signature", { ...tx, signature: prefixed }, 60, "tx.signature.value (should be hex encoded)"],
    ["no proof of work", { ...tx, pow: undefined }, 89, "failed to verify proof of work"],
    ["no nonce", { ...tx, pow: { tid: "06".repeat(32) } }, 89, "failed to verify proof of work"],
  ])("rejects a transaction with %s, with a reason in `data`, and in `info` for code 60", async (_, tx, code, data) => {
    const result = { success: false, code, gasWanted: "0", gasUsed: "0", data, log: "" };
    expect(await check(createFakeNode(), tx)).toEqual({ ...result, info: code === 60 ? data : "" });
  });

  test("responds with the code that `checkCode` returns", async () => {
    const node = createFakeNode({}, { checkCode: ({ pubKey }) => (pubKey === tx.pubKey ? 70 : 0) });
    expect(await check(node, tx)).toMatchObject({ success: false, code: 70, data: expect.stringMatching(/./) });
    const disabled = createFakeNode({}, { checkCode: () => 51 });
    expect(await check(disabled, tx)).toMatchObject({ code: 51, data: expect.stringMatching(/./), info: "" });
    node.nextBlock();
    expect(await check(node, { ...tx, pubKey: "cd".repeat(32) })).toMatchObject({ success: true });
  });

  test.each([
    ["hello", "expected an object with a transaction `tx`, got hello"],
    ["[]", "expected an object with a transaction `tx`, got []"],
    ['{"tx":"5"}', 'expected an object with a transaction `tx`, got {"tx":"5"}'],
    ['{"tx":{"version":"V3"}}', 'invalid value for enum field version: "V3"'],
    ['{"tx":{"inputData":"0x{}"}}', 'invalid value for bytes field inputData: "0x{}"'],
  ])("rejects the body %s with status 400 in the gateway: %s", async (body, message) => {
    const { status, headers, body: error } = await post(createFakeNode(), body);
    expect({ status, ...error }).toEqual({ status: 400, code: 3, message, details: [] });
    expect(headers.has("x-block-height")).toBe(false);
  });
});
