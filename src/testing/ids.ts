import { dataNodeError, type ErrorDetail } from "./wire.js";

/** Ids that v0.74 nodes know by a name, with their bytes in hex (observed on v0.74 nodes). */
const wellKnownIds: Readonly<Record<string, string>> = { VOTE: "00", network: "03", XYZalpha: "04" };

/**
 * The ids of a node's records, by keys that sort as their bytes do. A real node holds hexadecimal ids alone; so that tests can call
 * a party `alice`, any other text counts as an id too as soon as a record carries it.
 */
export class Ids {
  readonly #others = new Set<string>();

  /** The key of a record's id. */
  add(id: string): string {
    const key = this.find(id);
    if (key !== undefined) return key;
    this.#others.add(id);
    return `~${id}`;
  }

  /** The key of an id that a request names; `undefined` if a node rejects it. */
  find(id: string): string | undefined {
    if (Object.hasOwn(wellKnownIds, id)) return wellKnownIds[id];
    if (/^(?:[0-9a-f]{2})*$/i.test(id)) return id.toLowerCase();
    // Sorts behind all hex digits.
    return this.#others.has(id) ? `~${id}` : undefined;
  }

  /** @throws {@link NodeError} with status 400 for an id that a node rejects. */
  read(id: string, failure: ErrorDetail): string {
    const key = this.find(id);
    if (key !== undefined) return key;
    throw dataNodeError(3, { ...failure, inner: `decoding '${id}': not a valid hex id (or well known exception)` });
  }

  /** As `find`, for the ids of parties and markets in a filter: nodes accept them in full length alone, and `network`. */
  findFull(id: string): string | undefined {
    const isFull = id === "network" || /^[0-9a-f]{64}$/i.test(id) || this.#others.has(id);
    return isFull ? this.find(id) : undefined;
  }
}
