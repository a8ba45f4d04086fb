// `BigInt` takes seconds for millions of digits, and no deadline can interrupt it.
const integer = /^-?\d{1,100}$/;

/** Returns whether a value is an integer in digits, as nodes send times and amounts. */
export const isDigits = (value: unknown): value is `${bigint}` => typeof value === "string" && integer.test(value);

export const compare = <T extends string | number | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

export function compareDigits(a: string, b: string): number {
  // Times of one era have as many digits, and no sign.
  if (a.length === b.length && a[0] !== "-" && b[0] !== "-") return compare(a, b);
  return compare(BigInt(a), BigInt(b));
}

export const maximum = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const minimum = (a: bigint, b: bigint): bigint => (a < b ? a : b);
