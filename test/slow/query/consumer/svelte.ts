import { createInfiniteQuery, createMutation, createQuery } from "@tanstack/svelte-query";
import type { BalanceChange, SpamStatisticsResponse, TransactionCheckResult, Vote } from "vegaprotocol-client";
import type { PageData } from "vegaprotocol-client/query";
import { expectType, partyId, proposalId, tx, vega } from "./setting.js";

export function useTypes() {
  expectType<SpamStatisticsResponse | undefined>()(createQuery(() => vega.getSpamStatistics({ partyId })).data);
  expectType<PageData<Vote> | undefined>()(createQuery(() => vega.listVotes({ proposalId })).data);
  const changes = createInfiniteQuery(() => vega.listBalanceChanges.infinite());
  expectType<BalanceChange[] | undefined>()(changes.data?.pages.flatMap(({ nodes }) => nodes));
  const check = createMutation(() => vega.checkTransaction.mutation());
  check.mutate({ tx });
  expectType<TransactionCheckResult | undefined>()(check.data);
}
