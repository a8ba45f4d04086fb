/** The same text for the same value: the order of members, and that of texts in an array, means nothing. */
export function canonicalJson(value: object): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint") return String(member);
    if (Array.isArray(member)) return member.every((each) => typeof each === "string") ? [...member].sort() : member;
    if (typeof member !== "object" || member === null) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
