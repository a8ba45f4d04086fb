import { operations } from "../../generated/operations.js";
import type { ArgumentGroup, Arguments, OperationId, Value } from "../arguments/operation.js";
import { type Place, refuse } from "../arguments/refuse.js";
import { canonicalId } from "../values/ids.js";
import { type NanosecondTime, toNanoseconds } from "../values/times.js";

/**
 * The key of a query: the name of this package, the scope, the operation, its argument, and `"infinite"` for an infinite list. It
 * is JSON, and equal requests have equal keys.
 */
export type QueryKey = readonly [
  library: "vegaprotocol-client",
  scope: string,
  operation: OperationId,
  query?: object,
  kind?: "infinite",
];

/** Returns the key of an operation or, with its argument, of a query. */
export function queryKey(scope: string, operation: OperationId, query?: unknown): QueryKey {
  const key = ["vegaprotocol-client", scope, operation] as const;
  if (query === undefined) return key;
  const members: Arguments = operations[operation].arguments;
  return [...key, normalize({ kind: "object", members }, query, { operation, argument: "" }) as object];
}

/**
 * Returns a value as JSON: times as digits, hexadecimal ids in lower case, and without what is not sent. What is invalid stays as it is: the argument of a query
 * that is disabled may be incomplete.
 *
 * @throws `ArgumentError` for a `bigint` that is not a time, which JSON does not have.
 */
function normalize(spec: Value | ArgumentGroup | undefined, value: unknown, place: Place): unknown {
  if (spec?.kind === "nanoseconds" && typeof value === "object") return timeOf(value);
  if (typeof value === "bigint") return spec?.kind === "nanoseconds" ? String(value) : refuse(place, "JSON", value);
  if (typeof value === "string" && spec?.kind === "string") return canonicalId(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const isSent = value.length > 0 || spec?.kind !== "array" || spec.minItems !== undefined;
    const items = spec?.kind === "array" ? spec.items : undefined;
    return isSent ? value.map((item) => normalize(items, item, place)) : undefined;
  }
  const group = spec?.kind === "object" ? spec.members : {};
  const prefix = place.argument === "" ? "" : `${place.argument}.`;
  const members = Object.entries(value)
    .map(([name, member]) => [name, normalize(group[name], member, { ...place, argument: prefix + name })] as const)
    .filter(([, member]) => member !== undefined);
  return members.length > 0 || prefix === "" ? Object.fromEntries(members) : undefined;
}

function timeOf(value: unknown): unknown {
  try {
    return String(toNanoseconds(value as NanosecondTime));
  } catch {
    return null;
  }
}
