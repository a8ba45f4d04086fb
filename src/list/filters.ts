import { isPlainObject } from "../arguments/check-options.js";
import type { ListOperation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";

/** The filters of balance changes that are lists of values, each with the member of a record that it selects by. */
export const dimensions = [
  ["partyIds", "partyId"],
  ["marketIds", "marketId"],
  ["accountTypes", "accountType"],
] as const;

/**
 * The longest query of one request, in characters. Most servers and proxies, nginx among them, allow 8 KiB for the
 * whole request line.
 */
const longestQuery = 7000;

function lengthOf(name: string, value: unknown): number {
  if (typeof value !== "object" || value === null) return name.length + encodeURIComponent(String(value)).length + 2;
  let length = 0;
  for (const [member, each] of Object.entries(value)) {
    length += lengthOf(Array.isArray(value) ? name : (name && `${name}.${member}`) || member, each);
  }
  return length;
}

/** Splits filters with long lists into several that each fit a URL. */
export function splitFilters<Filters extends CheckedArguments>(filters: Filters): [Filters, ...Filters[]] {
  if (lengthOf("", filters) <= longestQuery) return [filters];
  // A value that is repeated would otherwise be requested twice. Ids have one spelling already.
  const lists = listsIn(filters).map((list) => ({ list, values: [...new Set(list)] }));
  const [longest] = lists.sort((a, b) => b.values.length - a.values.length);
  if (longest === undefined || longest.values.length < 2) return [filters];
  const { list, values } = longest;
  const middle = Math.ceil(values.length / 2);
  const partOf = (values: readonly unknown[]) => splitFilters(replace(filters, list, values) as Filters);
  return [...partOf(values.slice(0, middle)), ...partOf(values.slice(middle))];
}

const listsIn = (value: unknown): readonly (readonly unknown[])[] =>
  Array.isArray(value) ? [value] : isPlainObject(value) ? Object.values(value).flatMap(listsIn) : [];

/** A copy of filters with other values in the place of a list. */
function replace(filters: unknown, list: readonly unknown[], values: readonly unknown[]): unknown {
  if (filters === list) return values;
  if (!isPlainObject(filters)) return filters;
  return Object.fromEntries(Object.entries(filters).map(([name, each]) => [name, replace(each, list, values)]));
}

/** Removes a filter with a name that some versions of nodes reject: the client selects the records itself. */
export function withoutRejectedNames<T>(
  { rejectedNames }: Pick<ListOperation<T>, "rejectedNames">,
  filters: CheckedArguments,
): { filters: CheckedArguments; isWanted?: (record: T) => boolean } {
  if (rejectedNames === undefined) return { filters };
  const { parameter, member, names } = rejectedNames;
  const [group = "", name = ""] = parameter.split(".");
  const { [name]: wanted, ...others } = (filters[group] ?? {}) as Record<string, readonly unknown[] | undefined>;
  if (!wanted?.some((each) => (names as readonly unknown[]).includes(each))) return { filters };
  return { filters: { ...filters, [group]: others }, isWanted: (record) => wanted.includes(record[member]) };
}
