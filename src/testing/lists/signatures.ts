import type { NodeSignature } from "../../../generated/types.js";
import type { Ids } from "../ids.js";
import { type List, parseCursor } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, createTable, rangeFrom, take } from "../sorted.js";
import { base64ToHex, dataNodeError, toJson } from "../wire.js";

export interface SignatureRow {
  signature: NodeSignature;
  resource: string;
  sig: string;
}

/** The signatures for each resource, sorted by their bytes. */
export const signatureTable = (ids: Ids) =>
  createTable<NodeSignature, SignatureRow>({
    toRow: (signature) => ({ signature, resource: ids.add(signature.id), sig: base64ToHex(signature.sig ?? "") ?? "" }),
    keyOf: ({ resource, sig }) => `${resource} ${sig}`,
    groupsOf: ({ resource }) => [resource],
    order: (a, b) => compare(a.sig, b.sig),
  });

const failure = { code: 180001, message: "failed to get notary for resource ID" };

export function listSignatures(
  query: QueryValues,
  { store }: { store: { ids: Ids; signatures: ReturnType<typeof signatureTable> } },
): List<SignatureRow> {
  const { ids, signatures } = store;
  const id = query.text("id") ?? "";
  // The status is that of v0.74 nodes; the number of the detail was not observed.
  if (id === "") throw dataNodeError(3, { code: 10000, message: "missing resource ID" });
  return {
    node: ({ signature }) => signature,
    cursor: ({ signature: { id, sig } }) => toJson({ resource_id: id, sig }),
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, { resource_id: "text", sig: "hex" }, failure);
      const resource = ids.read(id, failure);
      const rows = signatures.group(resource);
      const { resource_id = "", sig } = place ?? {};
      const inList = place && compare(resource, ids.read(resource_id, failure));
      // The database compares with NULL, which equals nothing.
      if (inList === 0 && sig === undefined) return [];
      // All rows are of one resource: all or none of them are behind a place in another resource.
      const range = rangeFrom(rows, upwards, place && ((row) => inList || compare(row.sig, sig ?? "")));
      return take(rows, range, upwards, limit);
    },
  };
}
