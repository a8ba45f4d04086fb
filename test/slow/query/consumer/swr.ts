import useSWR from "swr";
import useSWRImmutable from "swr/immutable";
import type { SpamStatisticsResponse, Vote } from "vegaprotocol-client";
import type { PageData } from "vegaprotocol-client/query";
import { expectType, partyId, proposalId, vega } from "./setting.js";

export function useTypes() {
  expectType<SpamStatisticsResponse | undefined>()(useSWR(...vega.getSpamStatistics.swr({ partyId })).data);
  expectType<PageData<Vote> | undefined>()(useSWR(...vega.listVotes.swr({ proposalId })).data);
  expectType<PageData<Vote> | undefined>()(useSWRImmutable(...vega.listVotes.swr({ proposalId })).data);
  const [key, fetcher] = vega.getSpamStatistics.swr({ partyId });
  expectType<SpamStatisticsResponse | undefined>()(useSWR(key, fetcher, { refreshInterval: 5000 }).data);
  // @ts-expect-error: the argument is required
  useSWR(...vega.getSpamStatistics.swr());
}
