/** The values of a text with JSON on each line. */
export const readLines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
