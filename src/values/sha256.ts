/**
 * SHA-256 of a text in UTF-8, in lower-case hex (FIPS 180-4).
 *
 * `crypto.subtle` is asynchronous and missing on pages that are served over plain HTTP, hence this implementation.
 */
export function sha256Hex(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const hash = Int32Array.from(initialHash);
  for (let offset = 0; offset < message.byteLength; offset += 64) {
    for (let index = 0; index < 16; index++) schedule[index] = message.getInt32(offset + 4 * index);
    compress(hash);
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

/** The message schedule. One serves all: nothing interrupts a hash. */
const schedule = new Int32Array(64);

const rotate = (word: number, count: number) => (word >>> count) | (word << (32 - count));

/** Adds the block at the start of the schedule to the hash. */
function compress(hash: Int32Array): void {
  const words = schedule;
  for (let index = 16; index < 64; index++) {
    const a = words[index - 15] as number;
    const b = words[index - 2] as number;
    const sigma0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const sigma1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    words[index] = (words[index - 16] as number) + sigma0 + (words[index - 7] as number) + sigma1;
  }
  let [a, b, c, d, e, f, g, h] = [...hash] as [number, number, number, number, number, number, number, number];
  for (let round = 0; round < 64; round++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const added = (h + sum1 + choice + (roundConstants[round] as number) + (words[round] as number)) | 0;
    [a, b, c, d, e, f, g, h] = [(added + sum0 + majority) | 0, a, b, c, (d + added) | 0, e, f, g];
  }
  hash.set([a, b, c, d, e, f, g, h].map((sum, index) => (hash[index] as number) + sum));
}

/** The first primes. The fractions of their roots are the constants of the algorithm. */
const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate++) {
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
}

const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const initialHash = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const roundConstants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
