/**
 * SHA-256 of a text in UTF-8, in lower-case hex (FIPS 180-4).
 *
 * `crypto.subtle` is asynchronous and missing on pages that are served over plain HTTP, hence this implementation.
 */
export function sha256Hex(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const hash = Int32Array.from(initialHash);
  const schedule = new Words(64);
  for (let offset = 0; offset < message.byteLength; offset += 64) {
    for (let index = 0; index < 16; index++) schedule.set(index, message.getInt32(offset + 4 * index));
    expand(schedule);
    compress(hash, schedule);
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** 32-bit words; unlike an `Int32Array`, a `DataView` reads a number or throws, so that no read needs a default. */
class Words {
  readonly #view: DataView;

  constructor(length: number) {
    this.#view = new DataView(new ArrayBuffer(4 * length));
  }

  get(index: number): number {
    return this.#view.getInt32(4 * index);
  }

  set(index: number, word: number): void {
    this.#view.setInt32(4 * index, word);
  }
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

const rotate = (word: number, count: number) => (word >>> count) | (word << (32 - count));

/** Fills words 16 to 63 of the message schedule from the first 16. */
function expand(schedule: Words): void {
  for (let index = 16; index < 64; index++) {
    const a = schedule.get(index - 15);
    const b = schedule.get(index - 2);
    const sigma0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const sigma1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    schedule.set(index, schedule.get(index - 16) + sigma0 + schedule.get(index - 7) + sigma1);
  }
}

/** Adds one block to the hash. */
function compress(hash: Int32Array, schedule: Words): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let round = 0; round < 64; round++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const added = (h + sum1 + choice + roundConstants.get(round) + schedule.get(round)) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + added) | 0;
    d = c;
    c = b;
    b = a;
    a = (added + sum0 + majority) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) hash[index] = word + (hash[index] ?? 0);
}

/** The first primes; the fractions of their roots are the constants of the algorithm. */
const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate++) {
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
}

const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const initialHash = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const roundConstants = new Words(64);
for (const [index, prime] of primes.entries()) roundConstants.set(index, fraction(Math.cbrt(prime)));
