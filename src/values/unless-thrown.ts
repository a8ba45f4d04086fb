/** The result of a function; `undefined` if it throws an expected error. Default: any error. */
export function unlessThrown<T>(read: () => T, isExpected: (error: unknown) => boolean = () => true): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
