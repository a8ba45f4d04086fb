import type { PartyProfile } from "../../../generated/types.js";
import type { Ids } from "../ids.js";
import { type List, type ListNode, parseCursor } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, createTable, rangeFrom, take } from "../sorted.js";
import { dataNodeError, toJson } from "../wire.js";

export interface ProfileRow {
  profile: PartyProfile;
  party: string;
}

/** The profiles of all parties, sorted by the bytes of their ids. */
export const profileTable = (ids: Ids) =>
  createTable<PartyProfile, ProfileRow>({
    toRow: (profile) => ({ profile, party: ids.add(profile.partyId) }),
    keyOf: ({ party }) => party,
    groupsOf: () => ["all"],
    order: (a, b) => compare(a.party, b.party),
  });

const failure = { code: 10000, message: "failed to get parties' profiles" };

export function listProfiles(
  query: QueryValues,
  { store, version, defects }: ListNode & { store: { ids: Ids; profiles: ReturnType<typeof profileTable> } },
): List<ProfileRow> {
  const { ids, profiles } = store;
  const wanted = new Set(query.texts("parties").map((id) => ids.read(id, failure)));
  return {
    node: ({ profile }) => version.toProfile(profile),
    cursor: ({ profile: { partyId, alias, metadata } }) => {
      // Cursors leave out an empty value.
      const pairs = metadata.map(({ key, value }) => (value === "" ? { key } : { key, value }));
      return toJson({ PartyID: partyId, Alias: alias, Metadata: pairs.length === 0 ? null : pairs });
    },
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, { PartyID: "text", Alias: "text", Metadata: "list" }, failure);
      if (place !== undefined && defects.includes("failing-profile-cursors")) {
        const inner = "building cursor predicate: no field matching column name id";
        throw dataNodeError(13, { ...failure, inner });
      }
      const rows = profiles.group("all");
      const at = ids.find(place?.PartyID ?? "") ?? "";
      const range = rangeFrom(rows, upwards, place && (({ party }) => compare(party, at)));
      return take(rows, range, upwards, limit, ({ party }) => wanted.size === 0 || wanted.has(party));
    },
  };
}
