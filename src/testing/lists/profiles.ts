import type { PartyProfile } from "../../../generated/types.js";
import { parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { Ids } from "../ids.js";
import { toJson } from "../json.js";
import type { List } from "../page.js";
import type { QueryValues } from "../query.js";
import { compare, firstIndex, GroupedRows, take } from "../sorted.js";
import type { VersionRules } from "../versions.js";
import { invalidId, parsing } from "./failure.js";

interface ProfileRow {
  profile: PartyProfile;
  party: string;
}

/** The profiles of all parties, sorted by the bytes of their ids. */
export class ProfileTable {
  readonly #ids: Ids;
  readonly #rows = new Map<string, ProfileRow>();
  readonly #sorted = new GroupedRows<ProfileRow>((a, b) => compare(a.party, b.party));

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Adds profiles; one replaces the earlier profile of its party. */
  add(profiles: readonly PartyProfile[]): void {
    for (const profile of profiles) {
      const party = this.#ids.add(profile.partyId);
      const row = { profile, party };
      this.#rows.set(party, row);
      this.#sorted.set("", party, row);
    }
  }

  get records(): PartyProfile[] {
    return Array.from(this.#rows.values(), ({ profile }) => profile);
  }

  get rows(): readonly ProfileRow[] {
    return this.#sorted.sorted("");
  }
}

const failure = { code: 10000, message: "failed to get parties' profiles" };

export interface ProfileListOptions {
  /** Whether every cursor that names a party fails. */
  failing: boolean;
  version: VersionRules;
}

export function listProfiles(
  table: ProfileTable,
  ids: Ids,
  query: QueryValues,
  { failing, version }: ProfileListOptions,
): List<ProfileRow> {
  const wanted = new Set(
    query.texts("parties").map((id) => {
      const key = ids.find(id);
      if (key === undefined) throw invalidId(failure, id);
      return key;
    }),
  );
  return {
    node: ({ profile }) => version.toProfile(profile),
    cursor: ({ profile: { partyId, alias, metadata } }) =>
      toJson({
        PartyID: partyId,
        Alias: alias,
        Metadata: metadata.length === 0 ? null : metadata.map(toCursorMetadata),
      }),
    read(upwards, cursor, limit) {
      const fields = { PartyID: "text", Alias: "text", Metadata: "list" } as const;
      const place = cursor === undefined ? undefined : parsing(failure, () => parseCursor(cursor, fields));
      if (place !== undefined && failing) {
        throw dataNodeError(13, { ...failure, inner: "building cursor predicate: no field matching column name id" });
      }
      const { rows } = table;
      const at = place && (ids.find(place.text("PartyID") ?? "") ?? "");
      const from = at === undefined || !upwards ? 0 : firstIndex(rows, ({ party }) => party >= at);
      const to = at === undefined || upwards ? rows.length : firstIndex(rows, ({ party }) => party > at);
      return take(rows, [from, to], upwards, limit, ({ party }) => wanted.size === 0 || wanted.has(party));
    },
  };
}

/** Cursors leave out an empty value. */
const toCursorMetadata = ({ key, value }: PartyProfile["metadata"][number]) =>
  value === "" ? { key } : { key, value };
