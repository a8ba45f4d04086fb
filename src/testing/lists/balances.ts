import { operations } from "../../../generated/operations.js";
import { maximum } from "../../values/integers.js";
import { numberOf } from "../../values/names.js";
import { type DataNode, makePage } from "../page.js";
import { firstIndex, orderAt } from "../sorted.js";
import type { Account } from "../store.js";
import { problemOfRange } from "../versions.js";
import { bytesOfId, dataNodeError, readId, toMicroseconds, toRfc3339, zeroTime } from "../wire.js";

const failure = { code: 90004, message: "failed to get balances" };

export function listBalances(query: URLSearchParams, node: DataNode) {
  const balances = node.store.balances.sorted;
  const assetId = query.get("filter.assetId") ?? "";
  const isWanted = accountFilter(query, node, bytesOfId(assetId));
  const [start, end] = ["start", "end"].map((name) => {
    const time = query.get(`dateRange.${name}Timestamp`);
    return time === null ? undefined : BigInt(time);
  });
  return makePage(query, {
    failure,
    check: (hasCursor) => {
      const inner = node.rules.isNewer ? problemOfRange(start, end, !hasCursor, node.now) : undefined;
      if (inner !== undefined) throw dataNodeError(3, { code: 10000, message: "invalid date range", inner });
      // The database decodes the asset, so that an invalid one is the last error of all.
      readId(assetId, failure);
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
    order: ({ vega_time = zeroTime, AccountID }, upwards) => {
      const id = AccountID?.toLowerCase();
      if (id !== undefined) readId(id, failure);
      return orderAt(vega_time, id, upwards);
    },
    node: ({ change }) => node.rules.toBalanceChange(change),
  });
}

function accountFilter(query: URLSearchParams, { rules }: DataNode, asset: string | undefined) {
  const readIds = (name: string, kind: string) => {
    const given = query.getAll(name).flatMap((text) => (rules.isNewer ? text.split(",") : [text]));
    const isFull = (id: string) => id === "network" || /^[0-9a-f]{64}$/i.test(id);
    // Nodes say "party" for markets, too.
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
