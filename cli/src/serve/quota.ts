/** A limit of something in all, and for each caller. */
export function createQuota(most: number, mostOfCaller: number) {
  const callers = new Map<string, number>();
  let all = 0;
  const change = (caller: string, amount: number) => {
    all += amount;
    callers.set(caller, (callers.get(caller) ?? 0) + amount);
    if (callers.get(caller) === 0) callers.delete(caller);
  };
  return {
    take(caller: string, amount = 1): boolean {
      if (all + amount > most || (callers.get(caller) ?? 0) + amount > mostOfCaller) return false;
      change(caller, amount);
      return true;
    },
    release: (caller: string, amount = 1): void => change(caller, -amount),
  };
}
