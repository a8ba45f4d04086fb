/** The bytes of base64, read as Go does: line breaks are skipped, padding is required. `undefined` for another text. */
export function base64ToBytes(text: string): Uint8Array | undefined {
  const base64 = text.replace(/[\r\n]/g, "");
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

export const bytesToBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export const bytesToHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON as Go writes it, with HTML characters escaped. */
export const toJson = (content: unknown): string =>
  JSON.stringify(content).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
