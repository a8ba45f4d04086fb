import type { PartyProfile } from "../../../generated/types.js";
import { parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { Ids } from "../ids.js";
import type { List } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, rangeFrom, Table, take } from "../sorted.js";
import type { VersionRules } from "../versions.js";
import { toJson } from "../wire.js";

export interface ProfileRow {
  profile: PartyProfile;
  party: string;
}

/** The profiles of all parties, sorted by the bytes of their ids. */
export const profileTable = (ids: Ids) =>
  new Table<PartyProfile, ProfileRow>({
    toRow: (profile) => ({ profile, party: ids.add(profile.partyId) }),
    keyOf: ({ party }) => party,
    groupsOf: () => ["all"],
    order: (a, b) => compare(a.party, b.party),
  });

const failure = { code: 10000, message: "failed to get parties' profiles" };

export interface ProfileListOptions {
  /** Whether every cursor that names a party fails. */
  failing: boolean;
  version: VersionRules;
}

export function listProfiles(
  table: Table<PartyProfile, ProfileRow>,
  ids: Ids,
  query: QueryValues,
  { failing, version }: ProfileListOptions,
): List<ProfileRow> {
  const wanted = new Set(query.texts("parties").map((id) => ids.read(id, failure)));
  return {
    node: ({ profile }) => version.toProfile(profile),
    cursor: ({ profile: { partyId, alias, metadata } }) =>
      toJson({
        PartyID: partyId,
        Alias: alias,
        Metadata: metadata.length === 0 ? null : metadata.map(toCursorMetadata),
      }),
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, { PartyID: "text", Alias: "text", Metadata: "list" }, failure);
      if (place !== undefined && failing) {
        throw dataNodeError(13, { ...failure, inner: "building cursor predicate: no field matching column name id" });
      }
      const rows = table.group("all");
      const at = ids.find(place?.PartyID ?? "") ?? "";
      const range = rangeFrom(rows, upwards, place && (({ party }) => compare(party, at)));
      return take(rows, range, upwards, limit, ({ party }) => wanted.size === 0 || wanted.has(party));
    },
  };
}

/** Cursors leave out an empty value. */
const toCursorMetadata = ({ key, value }: PartyProfile["metadata"][number]) =>
  value === "" ? { key } : { key, value };
