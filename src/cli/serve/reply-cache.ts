import type { Reply } from "./replies.js";

/** What an entry takes beside its body and its key, in bytes: headers, and the places in the map. */
const overhead = 500;

/** Final responses within a number of bytes. The one that was not used for the longest time is dropped first. */
export class ReplyCache {
  readonly #limit: number;
  readonly #lifetime: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, { reply: Reply; until: number }>();
  #bytes = 0;

  /**
   * @param limit - In bytes.
   * @param lifetime - In milliseconds.
   */
  constructor(limit: number, lifetime: number, now: () => number) {
    this.#limit = limit;
    this.#lifetime = lifetime;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Reply | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#drop(key);
    if (entry.until <= this.#now()) return undefined;
    this.#add(key, entry);
    return entry.reply;
  }

  set(key: string, reply: Reply): void {
    this.#drop(key);
    if (sizeOf(key, reply) > this.#limit) return;
    this.#add(key, { reply, until: this.#now() + this.#lifetime });
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.#drop(oldest);
    }
  }

  #add(key: string, entry: { reply: Reply; until: number }): void {
    this.#entries.set(key, entry);
    this.#bytes += sizeOf(key, entry.reply);
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, entry.reply);
  }
}

const sizeOf = (key: string, { body }: Reply) => body.length + 2 * key.length + overhead;
