/** Returns a function that joins the members that identify a record to one text. */
export const keyBy =
  <T>(members: readonly (keyof T)[]) =>
  (record: T): string =>
    members.map((name) => record[name]).join(" ");
