/** Returns a function that makes one text of the members that identify a record. JSON, because ids can have any characters. */
export const keyBy =
  <T>(members: readonly (keyof T)[]) =>
  (record: T): string =>
    JSON.stringify(members.map((name) => record[name]));
