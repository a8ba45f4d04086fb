import type { Vote } from "../../generated/types.js";
import { sha256Hex } from "../list/repair/sha256.js";

/**
 * The votes that a follower has yielded: for each party and proposal the digest of the vote's members. About 350 bytes for each
 * vote, as long as the follower lives.
 */
export class SeenVotes {
  readonly #digests = new Map<string, string>();

  /** Adds a vote. Returns whether it is new, or differs from the one that was seen before in any member. */
  add(vote: Vote): boolean {
    const key = keyOf(vote);
    const digest = sha256Hex(canonical(vote));
    if (this.#digests.get(key) === digest) return false;
    this.#digests.set(key, digest);
    return true;
  }
}

/** The natural key of a vote, whenever it was cast. */
export const keyOf = ({ partyId, proposalId }: Vote): string => `${proposalId} ${partyId}`;

/** JSON with the members of objects in order of their names: the order on the wire means nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort())
      : member,
  );
}
