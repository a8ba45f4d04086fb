import { createHash } from "node:crypto";
import { canonicalLine } from "../output/columns.js";

const batchSize = 64 * 1024;

/** The number of records and the SHA-256 of their canonical lines. */
export class RecordDigest {
  readonly #hash = createHash("sha256");
  #text = "";
  #records = 0;

  get records(): number {
    return this.#records;
  }

  /** @param texts - The texts of the columns, as the node sent them. */
  add(texts: readonly string[]): void {
    this.#records++;
    this.#text += canonicalLine(texts);
    if (this.#text.length < batchSize) return;
    this.#hash.update(this.#text);
    this.#text = "";
  }

  /** In hexadecimal. Further records can be added. */
  digest(): string {
    return this.#hash.copy().update(this.#text).digest("hex");
  }
}
