/** Nodes keep times in microseconds, and compare them so (observed on v0.74 nodes). Times of callers and records are nanoseconds. */
const nanoseconds = 1000n;

/** The microsecond of a time in Unix nanoseconds. */
export function microsecondOf(time: bigint): bigint {
  const whole = time / nanoseconds;
  return time < whole * nanoseconds ? whole - 1n : whole;
}

/** The first nanosecond of a microsecond. */
export const toTime = (microsecond: bigint): bigint => microsecond * nanoseconds;

/**
 * Everything before this time is final, if a response names a block of that time: v0.74 nodes show the records of a block at once
 * when it ends, and keep times in microseconds.
 */
export const finalTime = (blockTime: bigint): bigint => toTime(microsecondOf(blockTime));
