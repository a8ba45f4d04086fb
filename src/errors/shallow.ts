/** Members are shown this deep. */
const deepest = 20;

/** Returns parsed JSON without what is nested deeper: `JSON.parse` reads deeper nesting than `JSON.stringify` writes. */
export function shallow(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest) return "…";
  if (Array.isArray(value)) return value.map((item) => shallow(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shallow(member, depth + 1)]));
}
