export const maximum = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const minimum = (a: bigint, b: bigint): bigint => (a < b ? a : b);
