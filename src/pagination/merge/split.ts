/**
 * The longest query of one request, in characters. Most servers and proxies, nginx among them, allow 8 KiB for the whole
 * request line.
 */
const longestQuery = 7000;

/** Splits filters with long lists into several that each fit a URL. */
export function splitFilters<Filters extends object>(filters: Filters): Filters[] {
  if (lengthOf(filters) <= longestQuery) return [filters];
  const lists = Object.entries(filters)
    // A value that is repeated would otherwise be requested twice.
    .map(([name, value]) => [name, Array.isArray(value) ? withoutRepeats(value) : []] as const)
    .filter(([, list]) => list.length > 1)
    .sort(([, a], [, b]) => b.length - a.length);
  const [longest] = lists;
  if (longest === undefined) return [filters];
  const [name, list] = longest;
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)].flatMap((half) => splitFilters({ ...filters, [name]: half }));
}

function lengthOf(filters: object): number {
  let length = 0;
  for (const [name, value] of Object.entries(filters)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      length += name.length + encodeURIComponent(String(each)).length + 2;
    }
  }
  return length;
}

function withoutRepeats(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [canonical(value), value])).values()];
}

/** Nodes take ids in either case, and these names for ids (observed on v0.74 nodes). */
const namedIds: Readonly<Record<string, string>> = { VOTE: "00", network: "03", XYZalpha: "04" };

function canonical(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return namedIds[value] ?? (/^[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value);
}
