import { operations } from "../../generated/operations.js";
import type { PartyProfile } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { ApiError, PaginationError } from "../errors/index.js";
import { largestPage } from "../list/repair/continuation.js";

const { rejectedWith } = operations.listPartiesProfiles.cursors;

/** The profiles of all parties that a node shows, and why others are missing. */
export interface ProfileReading {
  readonly profiles: readonly PartyProfile[];
  readonly incomplete: PaginationError | undefined;
}

/** Reads all pages, or on nodes that reject every cursor (observed on v0.74 and v0.79 nodes), the first page from either end. */
export async function readProfiles(client: VegaClient, signal: AbortSignal): Promise<ProfileReading> {
  const list = (newestFirst: boolean) =>
    client.listPartiesProfiles({ pagination: { first: largestPage, newestFirst } }, { signal });
  const profiles = new Map<string, PartyProfile>();
  try {
    for await (const profile of list(false)) profiles.set(profile.partyId, profile);
    return { profiles: [...profiles.values()], incomplete: undefined };
  } catch (error) {
    if (!ApiError.is(error) || error.status !== rejectedWith || !error.pagesRead) throw error;
  }
  const last = [...profiles.keys()].at(-1);
  const { nodes, pageInfo } = await list(true);
  const isWhole = !pageInfo?.hasNextPage || nodes.some(({ partyId }) => profiles.has(partyId));
  for (const profile of nodes) profiles.set(profile.partyId, profile);
  const incomplete = new PaginationError(
    `Expected the node to show the profiles of all parties, got the first and the last ${largestPage}: those between party ${last} ` +
      `and party ${nodes.at(-1)?.partyId} are missing. Request them by the ids of their parties.`,
    { operation: "syncTo", reason: "gap" },
  );
  return { profiles: [...profiles.values()], incomplete: isWhole ? undefined : incomplete };
}
