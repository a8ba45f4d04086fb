import { type DataNode, makePage } from "../page.js";
import { orderAt } from "../sorted.js";
import { bytesOfId, dataNodeError, readId } from "../wire.js";

const failure = { code: 10000, message: "failed to get parties' profiles" };

export function listProfiles(query: URLSearchParams, { store, rules, defects }: DataNode) {
  const wanted = new Set(query.getAll("parties").map((id) => readId(id, failure)));
  return makePage(query, {
    failure,
    rows: () => store.profiles.sorted,
    isWanted: ({ key }) => wanted.size === 0 || wanted.has(key),
    fields: { PartyID: "text" },
    cursor: ({ profile: { partyId, alias, metadata } }) => {
      // Cursors leave out an empty value.
      const pairs = metadata.map(({ key, value }) => (value === "" ? { key } : { key, value }));
      return { PartyID: partyId, Alias: alias, Metadata: pairs.length === 0 ? null : pairs };
    },
    order: ({ PartyID = "" }, upwards) => {
      const inner = "building cursor predicate: no field matching column name id";
      if (defects.includes("failing-profile-cursors")) throw dataNodeError(13, { ...failure, inner });
      return orderAt(0, bytesOfId(PartyID) ?? "", upwards);
    },
    node: ({ profile }) => rules.toProfile(profile),
  });
}
