import { describe, expect, test } from "vitest";
import type { Transaction } from "../../../src/index.js";
import { createFakeNode, type FakeNode } from "../../../src/testing/index.js";
import { fetchFrom } from "../../support/raw-requests.js";

/** `inputData` of a transaction for a block: a nonce and the height. */
function inputDataFor(height: number): string {
  const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
  return Buffer.from([0x08, 1, 0x10, ...varint(height)]).toString("base64");
}

const tx = {
  version: "TX_VERSION_V3",
  inputData: inputDataFor(1_234_567),
  pubKey: "ab".repeat(32),
  signature: { algo: "vega/ed25519", value: "0f".repeat(64), version: 1 },
  pow: { tid: "01".repeat(32), nonce: "7" },
};
const post = (node: FakeNode, body: string) => fetchFrom(node, "/transaction/check", { method: "POST", body });
const check = async (node: FakeNode, tx: unknown) => (await post(node, JSON.stringify({ tx }))).body;
/** The transaction with another proof of work, so that it can be checked in the same block. */
const other = (changes: object) => ({ ...tx, pow: { tid: "02".repeat(32), nonce: "7" }, ...changes });

describe("the check of a fake node", () => {
  test("passes a well-formed transaction once in a block", async () => {
    const node = createFakeNode();
    const passed = { success: true, code: 0, gasWanted: "1", gasUsed: "0", data: "", log: "", info: "" };
    expect(await check(node, tx)).toEqual(passed);
    expect(await check(node, tx)).toEqual({
      ...passed,
      success: false,
      code: 89,
      gasWanted: "0",
      data: "proof of work tid already seen by the node",
    });
    expect(await check(node, other({}))).toEqual(passed);
    node.nextBlock();
    expect(await check(node, tx)).toEqual(passed);
  });

  test("takes a version as a number, and a nonce of 64 bits", async () => {
    const checkCode = ({ pow }: Transaction) => (pow?.nonce === "18446744073709551615" ? 0 : 70);
    const node = createFakeNode({}, { checkCode });
    const withNonce = (nonce: string) => ({ ...tx, version: 3, unknown: 1, pow: { tid: "03".repeat(32), nonce } });
    expect((await check(node, withNonce("18446744073709551615"))).code).toBe(0);
    expect((await post(node, JSON.stringify({ tx: withNonce("18446744073709551616") }))).status).toBe(400);
  });

  test.each([
    [null, "tx (is required)"],
    [{ ...tx, version: 1 }, "tx.version (is not supported)"],
    [{ ...tx, pubKey: `0x${"a".repeat(64)}` }, "tx.from.pub_key (should be a valid vega public key)"],
    [{ ...tx, inputData: "CPjq" }, "tx.input_data (unable to unmarshal)"],
    [{ ...tx, signature: { ...tx.signature, value: "ab" } }, "tx.signature.value (invalid signature)"],
    [
      { ...tx, signature: { ...tx.signature, algo: "foo" } },
      "tx.signature.algo (unsupported algorithm), tx.signature.version (unsupported algorithm)",
    ],
  ])("rejects %j with code 60 and a reason", async (tx, reason) => {
    expect(await check(createFakeNode(), tx)).toEqual({
      success: false,
      code: 60,
      gasWanted: "0",
      gasUsed: "0",
      data: reason,
      log: "",
      info: reason,
    });
  });

  test("rejects with code 89, without `info`, what is too old and what has no proof of work", async () => {
    const node = createFakeNode({ block: { height: 1_000n, timestamp: 1n } });
    const reason = async (changes: object) => {
      const { code, data, info } = await check(node, { ...tx, inputData: inputDataFor(900), ...changes });
      expect([code, info]).toEqual([89, ""]);
      return data;
    };
    expect(await reason({ inputData: inputDataFor(899) })).toBe("transaction too old");
    expect(await reason({ inputData: "CAE=" })).toBe("transaction too old");
    expect(await reason({ pow: undefined })).toBe("failed to verify proof of work");
    expect(await reason({ pow: {} })).toBe("proof of work tid already seen by the node");
    expect(await reason({ pow: { tid: "zz", nonce: "1" } })).toBe("failed to verify proof of work");
    expect(await reason({ pow: { tid: "06".repeat(32) } })).toBe("failed to verify proof of work");
    expect(await check(node, { ...tx, inputData: inputDataFor(900) })).toMatchObject({ success: true });
  });

  test("responds with the code that `checkCode` returns", async () => {
    const code = 70;
    const node = createFakeNode({}, { checkCode: ({ pubKey }) => (pubKey === tx.pubKey ? code : 0) });
    expect(await check(node, tx)).toMatchObject({ success: false, code, data: expect.stringMatching(/./) });
    expect(await check(node, other({ pubKey: "cd".repeat(32) }))).toMatchObject({ success: true });
  });

  test.each([
    "hello",
    '{"tx":{"version":"3"}}',
    '{"tx":{"version":1.5}}',
    '{"tx":{"pubKey":5}}',
    '{"tx":{"pow":{"nonce":"-1"}}}',
  ])("rejects the body %s with status 400 in the gateway", async (body) => {
    const { status, headers, body: error } = await post(createFakeNode(), body);
    expect({ status, ...error }).toEqual({ status: 400, code: 3, message: expect.stringMatching(/./), details: [] });
    expect(headers.has("x-block-height")).toBe(false);
  });
});
