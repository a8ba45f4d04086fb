/** The bytes of base64, read as Go does: line breaks are skipped, padding is required. `undefined` for another text. */
export function base64ToBytes(text: string): Uint8Array | undefined {
  const base64 = text.replace(/[\r\n]/g, "");
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** The error of Go for a text that is not base64: it names the first other character, or else the incomplete group of four. */
export function describeIllegalBase64(text: string): string {
  const other = text.search(/[^A-Za-z0-9+/=\r\n]/);
  return `illegal base64 data at input byte ${other === -1 ? text.length - (text.length % 4) : other}`;
}

export const bytesToHex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
