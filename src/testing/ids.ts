import { dataNodeError, type ErrorDetail } from "./errors.js";

/** Ids that v0.74 nodes know by a name, with their bytes in hex (observed on v0.74 nodes). */
const wellKnownIds: Readonly<Record<string, string>> = { VOTE: "00", network: "03", XYZalpha: "04" };

/**
 * The bytes of an id in lower-case hex, by which nodes compare and sort ids; `undefined` for a text that is neither
 * hexadecimal nor a well-known name.
 */
export function idBytes(id: string): string | undefined {
  if (Object.hasOwn(wellKnownIds, id)) return wellKnownIds[id];
  return /^(?:[0-9a-f]{2})*$/i.test(id) ? id.toLowerCase() : undefined;
}

/**
 * The ids of a node's records. A real node holds hexadecimal ids alone; so that tests can call a party `alice`, any other
 * text counts as an id too as soon as a record carries it.
 */
export class Ids {
  readonly #others = new Set<string>();

  /** The key of a record's id. */
  add(id: string): string {
    const bytes = idBytes(id);
    if (bytes !== undefined) return bytes;
    this.#others.add(id);
    return otherKey(id);
  }

  /** The key of an id that a request names; `undefined` if a node rejects it. */
  find(id: string): string | undefined {
    return idBytes(id) ?? (this.#others.has(id) ? otherKey(id) : undefined);
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

/** The prefix sorts behind all hex digits and keeps these keys apart from hexadecimal ids. */
const otherKey = (id: string) => `~${id}`;
