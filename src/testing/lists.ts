import type { OperationId } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import { compare, maximum } from "../values/integers.js";
import { numberOf } from "../values/names.js";
import { type DataNode, makePage } from "./page.js";
import { randomNumbers } from "./random.js";
import { firstIndex, orderAt } from "./sorted.js";
import type { Account } from "./store.js";
import { problemOfRange, showBalanceChange, showProfile, showVote } from "./versions.js";
import { bytesOfId, dataNodeError, readId, toMicroseconds, toRfc3339 } from "./wire.js";

/** The order of a list and its cursors, which the description does not have. */
export const lists: { readonly [Id in OperationId]?: (query: URLSearchParams, node: DataNode) => object } = {
  listVotes,
  listPartiesProfiles,
  listBalanceChanges,
  listNodeSignatures,
};

/** The errors of the database. */
const noVotes = { code: 170003, message: "failed to get votes" };
const noProfiles = { code: 10000, message: "failed to get parties' profiles" };
const noBalances = { code: 90004, message: "failed to get balances" };
const noSignatures = { code: 180001, message: "failed to get notary for resource ID" };

function listVotes(query: URLSearchParams, { store, defects, version, tieSeed }: DataNode) {
  const [partyId, proposalId] = [query.get("partyId"), query.get("proposalId")];
  if (partyId === null && proposalId === null)
    throw dataNodeError(3, { code: 10023, message: "missing proposal id and party id" });
  const party = partyId === null ? undefined : readId(partyId, noVotes);
  const proposal = proposalId === null ? undefined : readId(proposalId, noVotes);
  const rows = store.votes.sorted.filter(
    (row) => (party ?? row.party) === row.party && (proposal ?? row.proposal) === row.proposal,
  );
  const isTied = defects.includes("tied-vote-cursors");
  // PostgreSQL sorts votes of one block in another order for each direction, page size, cursor and number of votes
  // (observed on v0.74.0 and v0.79.0 nodes).
  const tied = (upwards: boolean, ...request: readonly unknown[]) => {
    const random = randomNumbers([tieSeed, rows.length, upwards, ...request].join("/"));
    const ties = rows.map((row, index) => ({ row, tie: tieSeed ? random() : upwards ? index : -index }));
    return ties.sort((a, b) => a.row.time - b.row.time || a.tie - b.tie).map(({ row }) => row);
  };
  return makePage(query, {
    failure: noVotes,
    rows: (...request) => (isTied ? tied(...request) : rows),
    fields: { vega_time: "time", vote: "text" },
    // All votes of a block share a tied cursor, which has only the block time. A reliable cursor identifies the vote.
    cursor: ({ vote, time, key }) => ({
      ...(isTied ? { party_id: vote.partyId } : { vote: key }),
      vega_time: toRfc3339(time),
    }),
    order: ({ vega_time = 0, vote = "" }, upwards) =>
      isTied ? ({ time }) => compare(time, vega_time) : orderAt(vega_time, vote, upwards),
    node: ({ vote }) => showVote(version, vote),
  });
}

function listPartiesProfiles(query: URLSearchParams, { store, version, defects }: DataNode) {
  const wanted = new Set(query.getAll("parties").map((id) => readId(id, noProfiles)));
  return makePage(query, {
    failure: noProfiles,
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
      if (defects.includes("failing-profile-cursors")) throw dataNodeError(13, { ...noProfiles, inner });
      return orderAt(0, bytesOfId(PartyID) ?? "", upwards);
    },
    node: ({ profile }) => showProfile(version, profile),
  });
}

function listBalanceChanges(query: URLSearchParams, node: DataNode) {
  const balances = node.store.balances.sorted;
  const assetId = query.get("filter.assetId") ?? "";
  const isWanted = accountFilter(query, node, bytesOfId(assetId));
  const [start, end] = ["start", "end"].map((name) => {
    const time = query.get(`dateRange.${name}Timestamp`);
    return time === null ? undefined : BigInt(time);
  });
  return makePage(query, {
    failure: noBalances,
    check: (hasCursor) => {
      const inner = node.version === "v0.74" ? undefined : problemOfRange(start, end, !hasCursor, node.now);
      if (inner !== undefined) throw dataNodeError(3, { code: 10000, message: "invalid date range", inner });
      // The database decodes the asset, so that an invalid one is the last error of all.
      readId(assetId, noBalances);
    },
    rows: () => {
      const indexFrom = (given: bigint) => {
        const time = toMicroseconds(given);
        return firstIndex(balances, (row) => row.time >= time);
      };
      const first = indexFrom(maximum(start ?? node.history, node.history));
      return balances.slice(first, end === undefined ? undefined : indexFrom(end));
    },
    isWanted: ({ account }) => isWanted(account),
    fields: { vega_time: "time", AccountID: "text", PartyID: "text" },
    cursor: ({ time, account, change: { partyId, assetId, marketId } }) => ({
      vega_time: toRfc3339(time),
      AccountID: node.defects.includes("lost-balance-changes") ? null : account.id,
      PartyID: partyId,
      AssetID: assetId,
      MarketID: marketId,
      Type: account.type,
    }),
    order: ({ vega_time = 0, AccountID }, upwards) =>
      orderAt(vega_time, AccountID && readId(AccountID, noBalances), upwards),
    node: ({ change }) => showBalanceChange(node.version, change),
  });
}

function accountFilter(query: URLSearchParams, { version }: DataNode, asset: string | undefined) {
  const readIds = (name: string, kind: string) => {
    const given = query.getAll(name).flatMap((text) => (version === "v0.74" ? [text] : text.split(",")));
    const isFull = (id: string) => id === "network" || /^[0-9a-f]{64}$/i.test(id);
    // Nodes also say "party" for markets.
    const problem = { code: 10000, message: "invalid party id", inner: `one or more ${kind} id is invalid` };
    if (!given.every(isFull)) throw dataNodeError(3, problem);
    return new Set(given.map(bytesOfId));
  };
  const { accountType: names } = operations.listBalanceChanges.enums;
  const toNumber = (text: string) => numberOf(names, text) ?? Number(text);
  const types = new Set(query.getAll("filter.accountTypes").map(toNumber));
  const [markets, parties] = [readIds("filter.marketIds", "market"), readIds("filter.partyIds", "party")];
  return (account: Account) =>
    (asset === "" || asset === account.asset) &&
    (parties.size === 0 || parties.has(account.party)) &&
    (markets.size === 0 || markets.has(account.market)) &&
    (types.size === 0 || types.has(account.type));
}

function listNodeSignatures(query: URLSearchParams, { store: { signatures } }: DataNode) {
  const id = query.get("id") ?? "";
  if (id === "") throw dataNodeError(3, { code: 10025, message: "missing resource ID" });
  const resource = readId(id, noSignatures);
  return makePage(query, {
    failure: noSignatures,
    rows: () => signatures.sorted.filter((row) => row.resource === resource),
    fields: { resource_id: "text", sig: "binary" },
    cursor: ({ signature: { id, sig } }) => ({ resource_id: id, sig }),
    order: ({ resource_id = "", sig: at }, upwards) => {
      const cursorResource = readId(resource_id, noSignatures);
      const order = orderAt(0, at, upwards);
      return (row) => compare(row.resource, cursorResource) || order(row);
    },
    node: ({ signature }) => signature,
  });
}
