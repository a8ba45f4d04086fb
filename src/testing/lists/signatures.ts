import type { NodeSignature } from "../../../generated/types.js";
import { base64ToBytes, bytesToHex } from "../base64.js";
import { parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { Ids } from "../ids.js";
import { toJson } from "../json.js";
import type { List } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, firstIndex, GroupedRows, take } from "../sorted.js";
import { invalidId, parsing } from "./failure.js";

interface SignatureRow {
  signature: NodeSignature;
  resource: string;
  /** The bytes of the signature, in hex. */
  sig: string;
}

/** The signatures for each resource, sorted by their bytes. */
export class SignatureTable {
  readonly #ids: Ids;
  readonly #rows = new Map<string, SignatureRow>();
  readonly #byResource = new GroupedRows<SignatureRow>((a, b) => compare(a.sig, b.sig));

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Adds signatures; one replaces an earlier one of the same bytes for its resource. */
  add(signatures: readonly NodeSignature[]): void {
    for (const signature of signatures) {
      const row = { signature, resource: this.#ids.add(signature.id), sig: toHex(signature.sig) };
      this.#rows.set(`${row.resource} ${row.sig}`, row);
      this.#byResource.set(row.resource, row.sig, row);
    }
  }

  get records(): NodeSignature[] {
    return Array.from(this.#rows.values(), ({ signature }) => signature);
  }

  of(resource: string): readonly SignatureRow[] {
    return this.#byResource.sorted(resource);
  }
}

const toHex = (base64: string | null) => bytesToHex(base64ToBytes(base64 ?? "") ?? new Uint8Array());

const failure = { code: 180001, message: "failed to get notary for resource ID" };

/** @throws {@link NodeError} if the query has no resource id. */
export function listSignatures(table: SignatureTable, ids: Ids, query: QueryValues): List<SignatureRow> {
  const id = query.text("id") ?? "";
  // The status is that of v0.74 nodes; the number of the detail was not observed.
  if (id === "") throw dataNodeError(3, { code: 10000, message: "missing resource ID" });
  const keyOf = (id: string) => {
    const key = ids.find(id);
    if (key === undefined) throw invalidId(failure, id);
    return key;
  };
  return {
    node: ({ signature }) => signature,
    cursor: ({ signature: { id, sig } }) => toJson({ resource_id: id, sig }),
    read(upwards, cursor, limit) {
      const fields = { resource_id: "text", sig: "bytes" } as const;
      const place = cursor === undefined ? undefined : parsing(failure, () => parseCursor(cursor, fields));
      const resource = keyOf(id);
      const rows = table.of(resource);
      if (place === undefined) return take(rows, [0, rows.length], upwards, limit);
      const order = compare(resource, keyOf(place.text("resource_id") ?? ""));
      // All rows are of one resource: all or none of them are behind a place in another resource.
      if (order !== 0) return order > 0 === upwards ? take(rows, [0, rows.length], upwards, limit) : [];
      const at = place.text("sig");
      // The database compares with NULL, which equals nothing.
      if (at === undefined) return [];
      const from = upwards ? firstIndex(rows, ({ sig }) => sig >= at) : 0;
      const to = upwards ? rows.length : firstIndex(rows, ({ sig }) => sig > at);
      return take(rows, [from, to], upwards, limit);
    },
  };
}
