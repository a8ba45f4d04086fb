/**
 * The one form of a record for its digest, the same for each output format, time format and number of decimals: a JSON array
 * of the texts that the node sent, and a line feed.
 */
export const canonicalLine = (texts: readonly string[]): string => `${JSON.stringify(texts)}\n`;
