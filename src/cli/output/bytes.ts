/** Bytes that are collected in one buffer, which is used again. */
export class Bytes {
  #buffer: Buffer;
  #length = 0;

  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** What was added since it was cleared. It is valid until the next byte is added. */
  get content(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Gives each the content of the other one. */
  swap(other: Bytes): void {
    [this.#buffer, other.#buffer] = [other.#buffer, this.#buffer];
    [this.#length, other.#length] = [other.#length, this.#length];
  }

  addText(text: string): void {
    // No character takes more than three bytes in UTF-8 for each of its units.
    this.#reserve(3 * text.length);
    this.#length += this.#buffer.write(text, this.#length);
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  addByte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = byte;
  }

  /**
   * Adds a text if each of its characters is allowed. Otherwise returns `false` and adds nothing. Short texts are copied here in
   * half of the time that a call of the runtime takes.
   *
   * @param allowed - By code of a character: not 0 if it is allowed, and 1 if also as the first one.
   */
  addIfAllowed(text: string, allowed: Uint8Array): boolean {
    const { length } = text;
    this.#reserve(length);
    const buffer = this.#buffer;
    const start = this.#length;
    if (length > 0 && allowed[text.charCodeAt(0)] !== 1) return false;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (!allowed[code]) return false;
      buffer[start + index] = code;
    }
    this.#length = start + length;
    return true;
  }

  #reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#buffer.length) return;
    const buffer = Buffer.allocUnsafeSlow(2 * needed);
    buffer.set(this.content);
    this.#buffer = buffer;
  }
}
