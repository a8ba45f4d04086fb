/** The known names of an enumeration, and their numbers in the same order. */
export interface Enumeration {
  readonly values: readonly string[];
  readonly numbers: readonly number[];
}

/** The name for a number. Any other value stays as it is, and so does a number without a name. */
export const toName = ({ values, numbers }: Enumeration, value: unknown): unknown =>
  typeof value === "number" ? (values[numbers.indexOf(value)] ?? value) : value;

/** The number of a name; `undefined` for an unknown name. */
export const numberOf = ({ values, numbers }: Enumeration, name: string): number | undefined =>
  numbers[values.indexOf(name)];
