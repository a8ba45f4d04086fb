/**
 * The items of sorted lists that no unread item of another list can come before, in order.
 *
 * @param lists - What was read of each list.
 * @param ends - The last item that was read of each list that has more.
 */
export function readyItems<T>(
  lists: readonly (readonly T[])[],
  ends: readonly T[],
  compare: (a: T, b: T) => number,
): T[] {
  const [bound] = [...ends].sort(compare);
  if (bound === undefined) return lists.flat().sort(compare);
  const beforeBound = (items: readonly T[]) => {
    const count = items.findIndex((item) => compare(item, bound) > 0);
    return count === -1 ? items : items.slice(0, count);
  };
  return lists.flatMap(beforeBound).sort(compare);
}
