import useSWR from "swr";
import useSWRImmutable from "swr/immutable";
import type { SpamStatisticsResponse, Vote } from "vegaprotocol-client";
import type { PageData } from "vegaprotocol-client/query";
import { expectType, partyId, proposalId, vega } from "./setting.js";

export function useTypes() {
  const statistics = vega.getSpamStatistics({ partyId });
  const { data } = useSWR(statistics.queryKey, () => statistics.queryFn(), { refreshInterval: 5000 });
  expectType<SpamStatisticsResponse | undefined>()(data);
  const votes = vega.listVotes({ proposalId });
  expectType<PageData<Vote> | undefined>()(useSWR(votes.queryKey, () => votes.queryFn()).data);
  expectType<PageData<Vote> | undefined>()(useSWRImmutable(votes.queryKey, () => votes.queryFn()).data);
  // @ts-expect-error: the argument is required
  vega.getSpamStatistics();
}
