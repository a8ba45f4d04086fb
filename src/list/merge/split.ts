import type { CheckedArguments } from "../../arguments/read-arguments.js";
import { canonicalId } from "../../values/ids.js";
import { isTooLong } from "../query-length.js";

/** The smallest page of one of several requests: a filter that was split often must not take a request for each record. */
export const smallestPage = 100;

/** Splits filters with long lists into several that each fit a URL. */
export function splitFilters<Filters extends CheckedArguments>(filters: Filters): Filters[] {
  if (!isTooLong(filters)) return [filters];
  const [longest] = listsIn(filters).sort((a, b) => b.list.length - a.list.length);
  if (longest === undefined) return [filters];
  const { list, replace } = longest;
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)].flatMap((half) => splitFilters(replace(half)));
}

interface LongList<Filters> {
  list: readonly unknown[];
  /** Returns the filters with another list in its place. */
  replace(list: readonly unknown[]): Filters;
}

/** The lists that can be split. */
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
