import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeSignature } from "../../../src/index.js";
import { signatureBundle } from "../../../src/reports/index.js";
import { waysToPass } from "../../support/report-worlds.js";
import { runs } from "../../support/runs.js";

const signature = (bytes: Uint8Array | null, id = "r"): NodeSignature => ({
  id,
  kind: "NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL",
  sig: bytes && Buffer.from(bytes).toString("base64"),
});

describe("signatureBundle", () => {
  test("joins the bytes of all signatures in their order", async () => {
    const bytes = fc.uint8Array({ minLength: 65, maxLength: 65 });
    const signatures = fc.uniqueArray(bytes, { maxLength: 20, selector: String });
    await fc.assert(
      fc.asyncProperty(signatures, fc.constantFrom(...waysToPass), async (all, pass) => {
        const bundle = await signatureBundle(pass(all.map((bytes) => signature(bytes))));
        expect(bundle).toBe(`0x${Buffer.concat(all).toString("hex")}`);
      }),
      runs(2000),
    );
  });

  test("joins a signature that comes twice once, as of two readings", async () => {
    const all = [1, 2, 1].map((byte) => signature(new Uint8Array(65).fill(byte)));
    expect(await signatureBundle(all)).toBe(`0x${"01".repeat(65)}${"02".repeat(65)}`);
  });

  test.each([
    ["sig", [signature(new Uint8Array(64))]],
    ["sig", [signature(null)]],
    ["sig", [{ ...signature(null), sig: "!" }]],
    ["id", [signature(new Uint8Array(65)), signature(new Uint8Array(65), "s")]],
  ])("refuses a wrong `%s`", async (member, signatures) => {
    const message = expect.stringContaining(`Expected \`${member}\` of each record in \`signatures\` of signatureB`);
    const error = { name: "ArgumentError", argument: "signatures", message };
    await expect(signatureBundle(signatures)).rejects.toMatchObject(error);
  });
});
