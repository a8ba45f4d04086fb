/**
 * How many insertions, deletions, replacements and swaps of neighbors make one text the other (optimal string alignment).
 */
export function distance(a: string, b: string): number {
  let [previous, current]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const steps = [
        (current?.[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (current?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        ...(a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && i > 1 && j > 1 ? [(previous?.[j - 2] ?? 0) + 1] : []),
      ];
      next.push(Math.min(...steps));
    }
    [previous, current] = [current, next];
  }
  return current?.[b.length] ?? 0;
}

/**
 * A sentence that suggests the closest of some names; empty if none is close.
 *
 * @param most - How many steps a name may be away. Default: a third of its characters.
 */
export function suggest(name: string, known: readonly string[], most?: number): string {
  const beginning = name.length < 3 ? [] : known.filter((each) => each.startsWith(name));
  const [closest] = known.map((each) => ({ each, steps: distance(name, each) })).sort((a, b) => a.steps - b.steps);
  const isClose = closest && closest.steps <= (most ?? Math.max(1, Math.floor(closest.each.length / 3)));
  const meant = isClose ? closest.each : beginning.length === 1 ? beginning[0] : undefined;
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
