import type { CheckedArguments } from "../arguments/read-arguments.js";
import { canonicalId } from "../values/names.js";

/**
 * The longest query of one request, in characters. Most servers and proxies, nginx among them, allow 8 KiB for the whole
 * request line.
 */
const longestQuery = 7000;

const isTooLong = (filters: CheckedArguments): boolean => lengthOf("", filters) > longestQuery;

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
  if (!isTooLong(filters)) return [filters];
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
      // A value that is repeated would otherwise be requested twice.
      const list = withoutRepeats(value);
      return list.length > 1 ? [{ list, replace: (list) => ({ ...filters, [name]: list }) }] : [];
    }
    if (typeof value !== "object" || value === null) return [];
    return listsIn(value as CheckedArguments).map(({ list, replace }) => ({
      list,
      replace: (list) => ({ ...filters, [name]: replace(list) }),
    }));
  });
}

function withoutRepeats(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [canonical(value), value])).values()];
}

/** Nodes take these names for ids (observed on v0.74 nodes). */
const namedIds: Readonly<Record<string, string>> = { VOTE: "00", network: "03", XYZalpha: "04" };

function canonical(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return namedIds[value] ?? canonicalId(value);
}
