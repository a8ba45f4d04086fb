/**
 * How many insertions, deletions, replacements and swaps of neighbours make one text the other (optimal string alignment).
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

/** A sentence that suggests the closest of some names; empty if none is close. */
export function suggest(name: string, known: readonly string[]): string {
  const [closest] = known.map((each) => ({ each, steps: distance(name, each) })).sort((a, b) => a.steps - b.steps);
  // A third of the characters may be wrong.
  return closest && closest.steps <= Math.max(1, Math.floor(closest.each.length / 3))
    ? ` Did you mean ${closest.each}?`
    : "";
}
