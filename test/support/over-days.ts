import type { BalanceChange } from "../../src/index.js";
import { nanosecondsPerDay } from "../../src/values/times.js";

/** Balance changes up to the same time and in the same order, but over several days. */
export function overDays(changes: readonly BalanceChange[], days = 4n): BalanceChange[] {
  const times = changes.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
  const [oldest = 0n, newest = 0n] = [times[0], times.at(-1)];
  const factor = (days * nanosecondsPerDay) / (newest - oldest);
  const moved = (time: bigint) => newest - (newest - time) * factor;
  return changes.map((change) => ({ ...change, timestamp: `${moved(BigInt(change.timestamp))}` }));
}
