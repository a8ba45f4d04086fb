import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/vue-query";
import type { BalanceChange, SpamStatisticsResponse, TransactionCheckResult, Vote } from "vegaprotocol-client";
import type { PageData } from "vegaprotocol-client/query";
import { computed, ref } from "vue";
import { expectType, partyId, proposalId, tx, vega } from "./setting.js";

export function useTypes() {
  expectType<SpamStatisticsResponse | undefined>()(useQuery(vega.getSpamStatistics({ partyId })).data.value);
  expectType<PageData<Vote> | undefined>()(useQuery(vega.listVotes({ proposalId })).data.value);
  const party = ref(partyId);
  const options = computed(() => vega.getSpamStatistics({ partyId: party.value }));
  expectType<SpamStatisticsResponse | undefined>()(useQuery(options).data.value);
  const changes = useInfiniteQuery(vega.listBalanceChanges.infinite());
  expectType<BalanceChange[] | undefined>()(changes.data.value?.pages.flatMap(({ nodes }) => nodes));
  const check = useMutation(vega.checkTransaction.mutation());
  check.mutate({ tx });
  expectType<TransactionCheckResult | undefined>()(check.data.value);
}
