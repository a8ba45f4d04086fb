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
  const [longest] = listsIn(filters).sort((a, b) => b.list.length - a.list.length);
  if (longest === undefined) return [filters];
  const { list, replace } = longest;
  const middle = Math.ceil(list.length / 2);
  return [...splitFilters(replace(list.slice(0, middle))), ...splitFilters(replace(list.slice(middle)))];
}

interface LongList<Filters> {
  list: readonly unknown[];
  replace(list: readonly unknown[]): Filters;
}

function listsIn<Filters extends CheckedArguments>(filters: Filters): LongList<Filters>[] {
  return Object.entries(filters).flatMap(([name, value]): LongList<Filters>[] => {
    if (Array.isArray(value)) {
      // A value that is repeated would otherwise be requested twice. Ids have one spelling already.
      const list = [...new Set<unknown>(value)];
      return list.length > 1 ? [{ list, replace: (list) => ({ ...filters, [name]: list }) }] : [];
    }
    if (typeof value !== "object" || value === null) return [];
    return listsIn(value as CheckedArguments).map(({ list, replace }) => ({
      list,
      replace: (list) => ({ ...filters, [name]: replace(list) }),
    }));
  });
}

/** Removes a filter with a name that some versions of nodes reject: the client selects the records itself. */
export function select<T>(
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
