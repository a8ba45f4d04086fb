import type { NodeSignature } from "../../../generated/types.js";
import { parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { Ids } from "../ids.js";
import type { List } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, rangeFrom, Table, take } from "../sorted.js";
import { base64ToBytes, bytesToHex, toJson } from "../wire.js";

export interface SignatureRow {
  signature: NodeSignature;
  resource: string;
  /** The bytes of the signature, in hex. */
  sig: string;
}

/** The signatures for each resource, sorted by their bytes. */
export const signatureTable = (ids: Ids) =>
  new Table<NodeSignature, SignatureRow>({
    toRow: (signature) => ({ signature, resource: ids.add(signature.id), sig: toHex(signature.sig) }),
    keyOf: ({ resource, sig }) => `${resource} ${sig}`,
    groupsOf: ({ resource }) => [resource],
    order: (a, b) => compare(a.sig, b.sig),
  });

const toHex = (base64: string | null) => bytesToHex(base64ToBytes(base64 ?? "") ?? new Uint8Array());

const failure = { code: 180001, message: "failed to get notary for resource ID" };

/** @throws {@link NodeError} if the query has no resource id. */
export function listSignatures(
  table: Table<NodeSignature, SignatureRow>,
  ids: Ids,
  query: QueryValues,
): List<SignatureRow> {
  const id = query.text("id") ?? "";
  // The status is that of v0.74 nodes; the number of the detail was not observed.
  if (id === "") throw dataNodeError(3, { code: 10000, message: "missing resource ID" });
  return {
    node: ({ signature }) => signature,
    cursor: ({ signature: { id, sig } }) => toJson({ resource_id: id, sig }),
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, { resource_id: "text", sig: "bytes" }, failure);
      const resource = ids.read(id, failure);
      const rows = table.group(resource);
      if (place === undefined) return take(rows, [0, rows.length], upwards, limit);
      const { resource_id = "", sig: at } = place;
      const order = compare(resource, ids.read(resource_id, failure));
      // All rows are of one resource: all or none of them are behind a place in another resource.
      if (order !== 0) return order > 0 === upwards ? take(rows, [0, rows.length], upwards, limit) : [];
      // The database compares with NULL, which equals nothing.
      if (at === undefined) return [];
      return take(
        rows,
        rangeFrom(rows, upwards, ({ sig }) => compare(sig, at)),
        upwards,
        limit,
      );
    },
  };
}
