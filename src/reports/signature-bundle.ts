import type { NodeSignature } from "../../generated/types.js";
import { unlessThrown } from "../errors/index.js";
import { toBytes } from "../values/times.js";
import { forEachRecord, refuseMember } from "./records.js";

/**
 * Joins the signatures of one resource for the bridge contract: `0x` and the hexadecimal bytes of each signature, in
 * the order of the list and without duplicates. `"0x"` if there are none: nodes have signatures once enough validators
 * have signed.
 *
 * @param signatures - The signatures of one resource.
 * @throws `ArgumentError` if a signature does not have the 65 bytes that the contract needs, or if there are several
 * resources.
 * @example
 * ```ts
 * const bundle = await signatureBundle(client.listNodeSignatures({ id: withdrawalId })); // "0x2f1c…"
 * ```
 */
export async function signatureBundle(
  signatures: Iterable<NodeSignature> | AsyncIterable<NodeSignature>,
): Promise<`0x${string}`> {
  const place = { operation: "signatureBundle", argument: "signatures" };
  let resource: string | undefined;
  const joined = new Set<string>();
  await forEachRecord(place, signatures, ({ id, sig }) => {
    resource ??= id;
    if (id !== resource) refuseMember(place, "id", `the same resource, ${resource}`, id);
    const bytes = unlessThrown(() => toBytes(sig));
    if (bytes?.length !== 65) refuseMember(place, "sig", "base64 of 65 bytes", sig);
    joined.add(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  });
  return `0x${[...joined].join("")}`;
}
