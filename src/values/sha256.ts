/**
 * SHA-256 of a text in UTF-8, in lower-case hex (FIPS 180-4).
 *
 * `crypto.subtle` is asynchronous and missing on pages that are served over plain HTTP, hence this implementation.
 */
export function sha256Hex(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const hash = Int32Array.from(initialHash);
  const words = new Int32Array(64);
  for (let offset = 0; offset < message.byteLength; offset += 64) {
    for (let index = 0; index < 16; index++) words[index] = message.getInt32(offset + 4 * index);
    for (let index = 16; index < 64; index++) {
      const early = words[index - 15] as number;
      const late = words[index - 2] as number;
      const added = (rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)) + (words[index - 7] as number);
      words[index] = (rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)) + (words[index - 16] as number) + added;
    }
    let [a, b, c, d, e, f, g, h] = hash as Iterable<number> as State;
    for (let round = 0; round < 64; round++) {
      const choice = (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g));
      const majority = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      const added = h + choice + (roundConstants[round] as number) + (words[round] as number);
      [h, g, f, e] = [g, f, e, (d + added) | 0];
      [d, c, b, a] = [c, b, a, (added + majority) | 0];
    }
    hash.set([a, b, c, d, e, f, g, h].map((sum, index) => sum + (hash[index] as number)));
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

type State = [number, number, number, number, number, number, number, number];

/** The message in whole blocks of 64 bytes: followed by a bit 1, zeros, and its length in bits. */
function padded(bytes: Uint8Array): DataView {
  const blocks = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 4, bytes.length * 8);
  return view;
}

const rotated = (word: number, count: number) => (word >>> count) | (word << (32 - count));

/** The first primes. The fractions of their roots are the constants of the algorithm. */
const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate++) {
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
}

const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const initialHash = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const roundConstants = primes.map((prime) => fraction(Math.cbrt(prime)));
