const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON as Go writes it, with HTML characters escaped. */
export const toJson = (content: unknown, indent?: string) =>
  JSON.stringify(content, undefined, indent).replace(
    /[<>&\u2028\u2029]/g,
    (character) => escapes[character] ?? character,
  );
