/**
 * SHA-256 of a text in UTF-8, in lower-case hex (FIPS 180-4).
 *
 * `crypto.subtle` is asynchronous and missing on pages that are served over plain HTTP, hence this implementation.
 */
export function sha256Hex(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const hash = Int32Array.from(initialHash);
  const words = new Int32Array(64);
  const word = (index: number) => words[index] as number;
  for (let offset = 0; offset < message.byteLength; offset += 64) {
    let state = [...hash];
    for (let round = 0; round < 64; round++) {
      words[round] =
        round < 16
          ? message.getInt32(offset + 4 * round)
          : word(round - 16) +
            (rotated(word(round - 15), 7, 18) ^ (word(round - 15) >>> 3)) +
            word(round - 7) +
            (rotated(word(round - 2), 17, 19) ^ (word(round - 2) >>> 10));
      const [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
      const choice = (e & f) ^ (~e & g);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const added = h + rotated(e, 6, 11, 25) + choice + (roundConstants[round] as number) + word(round);
      state = [(added + rotated(a, 2, 13, 22) + majority) | 0, a, b, c, (d + added) | 0, e, f, g];
    }
    hash.set(state.map((sum, index) => sum + (hash[index] as number)));
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The message in whole blocks of 64 bytes: followed by a bit 1, zeros, and its length in bits. */
function padded(bytes: Uint8Array): DataView {
  const blocks = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

/** A word that is rotated to the right by each of the counts, combined by exclusive or. */
const rotated = (word: number, ...counts: number[]) =>
  counts.reduce((sum, count) => sum ^ ((word >>> count) | (word << (32 - count))), 0);

/** The first primes. The fractions of their roots are the constants of the algorithm. */
const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate++) {
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
}

const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const initialHash = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const roundConstants = primes.map((prime) => fraction(Math.cbrt(prime)));
