/**
 * Returns an id as nodes return it: hexadecimal in lower case. Names such as `network` and `XYZalpha` keep their case.
 *
 * @param id - An id, or any other text, which stays as it is.
 * @example
 * ```ts
 * canonicalId("AB12"); // "ab12"
 * ```
 */
export const canonicalId = (id: string): string => (/^(?:[0-9a-f]{2})+$/i.test(id) ? id.toLowerCase() : id);

/**
 * Returns whether nodes know ids of this form: hexadecimal, the party `network`, and the names of assets that networks
 * began with. Any other is an error or finds nothing, and a comma divides it in v0.79 nodes (observed).
 *
 * @param text - A possible id.
 * @example
 * ```ts
 * isId("network"); // true
 * isId("abc"); // false: half a byte
 * ```
 */
export const isId = (text: string): boolean =>
  /^(?:(?:[\dA-Fa-f]{2})+|network|VOTE|XYZ(?:alpha|beta|delta|epsilon|gamma)|f(?:BTC|DAI|EURO|USDC))$/.test(text);

/** Returns a function that joins the members that identify a record: as JSON, because ids can have any characters. */
export const keyBy =
  <T>(members: readonly (keyof T)[]) =>
  (record: T): string =>
    JSON.stringify(members.map((name) => record[name]));

/** The known names of an enumeration, and their numbers in the same order. */
export interface Enumeration {
  readonly values: readonly string[];
  readonly numbers: readonly number[];
}

/** The name for a number. Any other value stays as it is, and so does a number without a name. */
export const toName = ({ values, numbers }: Enumeration, value: unknown): unknown =>
  typeof value === "number" ? (values[numbers.indexOf(value)] ?? value) : value;

export const numberOf = ({ values, numbers }: Enumeration, name: string): number | undefined =>
  numbers[values.indexOf(name)];
