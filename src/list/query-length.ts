import type { CheckedArguments } from "../arguments/read-arguments.js";

/**
 * The longest query of one request, in characters. Most servers and proxies, nginx among them, allow 8 KiB for the whole
 * request line.
 */
const longestQuery = 7000;

/** Returns whether filters do not fit a URL. */
export const isTooLong = (filters: CheckedArguments): boolean => lengthOf("", filters) > longestQuery;

function lengthOf(name: string, value: unknown): number {
  if (typeof value !== "object" || value === null) return name.length + encodeURIComponent(String(value)).length + 2;
  let length = 0;
  for (const [member, each] of Object.entries(value)) {
    length += lengthOf(Array.isArray(value) ? name : (name && `${name}.${member}`) || member, each);
  }
  return length;
}
