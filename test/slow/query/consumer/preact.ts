import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/preact-query";
import type { BalanceChange, SpamStatisticsResponse, TransactionCheckResult, Vote } from "vegaprotocol-client";
import type { PageData } from "vegaprotocol-client/query";
import { expectType, partyId, proposalId, tx, vega } from "./setting.js";

export function useTypes() {
  expectType<SpamStatisticsResponse | undefined>()(useQuery(vega.getSpamStatistics({ partyId })).data);
  expectType<PageData<Vote> | undefined>()(useQuery(vega.listVotes({ proposalId })).data);
  const changes = useInfiniteQuery(vega.listBalanceChanges.infinite());
  expectType<BalanceChange[] | undefined>()(changes.data?.pages.flatMap(({ nodes }) => nodes));
  const check = useMutation(vega.checkTransaction.mutation());
  check.mutate({ tx });
  expectType<TransactionCheckResult | undefined>()(check.data);
}
