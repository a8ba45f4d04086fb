import { injectInfiniteQuery, injectMutation, injectQuery } from "@tanstack/angular-query-experimental";
import type { BalanceChange, SpamStatisticsResponse, TransactionCheckResult, Vote } from "vegaprotocol-client";
import type { PageData } from "vegaprotocol-client/query";
import { expectType, partyId, proposalId, tx, vega } from "./setting.js";

export function useTypes() {
  expectType<SpamStatisticsResponse | undefined>()(injectQuery(() => vega.getSpamStatistics({ partyId })).data());
  expectType<PageData<Vote> | undefined>()(injectQuery(() => vega.listVotes({ proposalId })).data());
  const changes = injectInfiniteQuery(() => vega.listBalanceChanges.infinite());
  expectType<BalanceChange[] | undefined>()(changes.data()?.pages.flatMap(({ nodes }) => nodes));
  const check = injectMutation(() => vega.checkTransaction.mutation());
  check.mutate({ tx });
  expectType<TransactionCheckResult | undefined>()(check.data());
}
