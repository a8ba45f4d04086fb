/**
 * Reads what a caller has passed, at once: a change of it afterwards changes nothing. Returns a function that returns what was
 * read, or throws what is wrong with it.
 */
export function take<T>(read: () => T): () => T {
  try {
    const taken = read();
    return () => taken;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
