/** Profiles, signatures, and the lists that are added to the description. */
import type { NodeSignature, PartyProfile } from "../../../generated/types.js";
import type { Ids } from "../ids.js";
import { type List, type ListNode, parseCursor } from "../page.js";
import { flatten, type Operation, type QueryValues } from "../query.js";
import { compare, rangeFrom, Table, take } from "../sorted.js";
import { base64ToHex, dataNodeError, toJson } from "../wire.js";

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

const profileFailure = { code: 10000, message: "failed to get parties' profiles" };

export function listProfiles(
  query: QueryValues,
  { store, version, defects }: ListNode & { store: { ids: Ids; profiles: ReturnType<typeof profileTable> } },
): List<ProfileRow> {
  const { ids, profiles } = store;
  const wanted = new Set(query.texts("parties").map((id) => ids.read(id, profileFailure)));
  return {
    node: ({ profile }) => version.toProfile(profile),
    cursor: ({ profile: { partyId, alias, metadata } }) => {
      // Cursors leave out an empty value.
      const pairs = metadata.map(({ key, value }) => (value === "" ? { key } : { key, value }));
      return toJson({ PartyID: partyId, Alias: alias, Metadata: pairs.length === 0 ? null : pairs });
    },
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, { PartyID: "text", Alias: "text", Metadata: "list" }, profileFailure);
      if (place !== undefined && defects.includes("failing-profile-cursors")) {
        const inner = "building cursor predicate: no field matching column name id";
        throw dataNodeError(13, { ...profileFailure, inner });
      }
      const rows = profiles.group("all");
      const at = ids.find(place?.PartyID ?? "") ?? "";
      const range = rangeFrom(rows, upwards, place && (({ party }) => compare(party, at)));
      return take(rows, range, upwards, limit, ({ party }) => wanted.size === 0 || wanted.has(party));
    },
  };
}

export interface SignatureRow {
  signature: NodeSignature;
  resource: string;
  sig: string;
}

/** The signatures for each resource, sorted by their bytes. */
export const signatureTable = (ids: Ids) =>
  new Table<NodeSignature, SignatureRow>({
    toRow: (signature) => ({ signature, resource: ids.add(signature.id), sig: base64ToHex(signature.sig ?? "") ?? "" }),
    keyOf: ({ resource, sig }) => `${resource} ${sig}`,
    groupsOf: ({ resource }) => [resource],
    order: (a, b) => compare(a.sig, b.sig),
  });

const signatureFailure = { code: 180001, message: "failed to get notary for resource ID" };

export function listSignatures(
  query: QueryValues,
  { store }: { store: { ids: Ids; signatures: ReturnType<typeof signatureTable> } },
): List<SignatureRow> {
  const { ids, signatures } = store;
  const id = query.text("id") ?? "";
  // The status is that of v0.74 nodes; the number of the detail was not observed.
  if (id === "") throw dataNodeError(3, { code: 10000, message: "missing resource ID" });
  return {
    node: ({ signature }) => signature,
    cursor: ({ signature: { id, sig } }) => toJson({ resource_id: id, sig }),
    read(upwards, cursor, limit) {
      const place = parseCursor(cursor, { resource_id: "text", sig: "hex" }, signatureFailure);
      const resource = ids.read(id, signatureFailure);
      const rows = signatures.group(resource);
      const { resource_id = "", sig } = place ?? {};
      const inList = place && compare(resource, ids.read(resource_id, signatureFailure));
      // The database compares with NULL, which equals nothing.
      if (inList === 0 && sig === undefined) return [];
      // All rows are of one resource: all or none of them are behind a place in another resource.
      const range = rangeFrom(rows, upwards, place && ((row) => inList || compare(row.sig, sig ?? "")));
      return take(rows, range, upwards, limit);
    },
  };
}

interface RecordRow {
  record: object;
  place: number;
}

// v0.74 nodes have a number for each list; that of a list that was not observed is not known.
const failure = { code: 10000, message: "failed to list records" };

/**
 * A list of the description that has no table of its own: the records in their order, with reliable cursors. Parameters of the
 * query and of the path filter by the member of their name.
 *
 * @param records - From the oldest to the newest.
 */
export function listRecords(records: readonly object[], operation: Operation, query: QueryValues): List<RecordRow> {
  const parameters = flatten(operation.arguments).filter(({ name }) => !name.startsWith("pagination."));
  const filters = parameters.flatMap(({ name }) => {
    const wanted = query.all(name).map(String);
    const member = wanted.length === 0 ? undefined : memberOf(name, records);
    return member === undefined ? [] : [{ member, wanted }];
  });
  const fits = (record: object) =>
    filters.every(({ member, wanted }) =>
      [Reflect.get(record, member)].flat().some((each) => wanted.includes(String(each))),
    );
  const rows = records.map((record, index) => ({ record, place: index + 1 })).filter(({ record }) => fits(record));
  return {
    node: ({ record }) => record,
    cursor: ({ place }) => toJson({ place }),
    read(upwards, cursor, limit) {
      const at = parseCursor(cursor, { place: "number" }, failure)?.place;
      const range = rangeFrom(rows, upwards, at === undefined ? undefined : ({ place }) => compare(place, at));
      return take(rows, range, upwards, limit);
    },
  };
}

/** The member of records that a filter is about, if one has it: `filter.partyIds` is `partyIds` or `partyId`. */
function memberOf(parameter: string, records: readonly object[]): string | undefined {
  const name = parameter.slice(parameter.lastIndexOf(".") + 1);
  const names = [name, name.replace(/ies$/, "y"), name.replace(/s$/, ""), name.replace(/es$/, "")];
  return names.find((each) => records.some((record) => Object.hasOwn(record, each)));
}
