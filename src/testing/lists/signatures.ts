import { type DataNode, makePage } from "../page.js";
import { compare, orderAt } from "../sorted.js";
import { dataNodeError, readId } from "../wire.js";

const failure = { code: 180001, message: "failed to get notary for resource ID" };

export function listSignatures(query: URLSearchParams, { store: { signatures } }: DataNode) {
  const id = query.get("id") ?? "";
  // v0.74 nodes send this status; the number of the detail was not observed.
  if (id === "") throw dataNodeError(3, { code: 10000, message: "missing resource ID" });
  return makePage(query, {
    failure,
    rows: () => {
      const resource = readId(id, failure);
      return signatures.sorted.filter((row) => row.resource === resource);
    },
    fields: { resource_id: "text", sig: "hex" },
    cursor: ({ signature: { id, sig } }) => ({ resource_id: id, sig }),
    order: ({ resource_id = "", sig: at }, upwards) => {
      const cursorResource = readId(resource_id, failure);
      const order = orderAt(0, at, upwards);
      return (row) => compare(row.resource, cursorResource) || order(row);
    },
    node: ({ signature }) => signature,
  });
}
