import {
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from "@tanstack/react-query";
import useSWR from "swr";
import type {
  BalanceChange,
  NodeSignature,
  SpamStatisticsResponse,
  TransactionCheckResult,
  Vote,
} from "vegaprotocol-client";
import type { PageData } from "vegaprotocol-client/query";
import { expectType, id, partyId, proposalId, tx, vega } from "./setting.js";

export async function useTypes() {
  expectType<SpamStatisticsResponse | undefined>()(useQuery(vega.getSpamStatistics({ partyId })).data);
  expectType<PageData<NodeSignature>>()(useSuspenseQuery(vega.listNodeSignatures({ id })).data);
  expectType<number | undefined>()(
    useQuery({ ...vega.listVotes({ proposalId }), select: ({ nodes }) => nodes.length, enabled: false }).data,
  );
  const changes = useInfiniteQuery(vega.listBalanceChanges.infinite({ filter: { partyIds: [partyId] } }));
  expectType<BalanceChange[] | undefined>()(changes.data?.pages.flatMap(({ nodes }) => nodes));
  const votes = useSuspenseInfiniteQuery(vega.listVotes.infinite({ proposalId, pagination: { newestFirst: false } }));
  expectType<Vote[]>()(votes.data.pages.flatMap(({ nodes }) => nodes));
  const all = useQuery(vega.listVotes.all({ proposalId }));
  expectType<Vote[] | undefined>()(all.data?.nodes);
  expectType<`${bigint}` | undefined>()(all.data?.coverage.start);
  const check = useMutation(vega.checkTransaction.mutation());
  check.mutate({ tx });
  expectType<TransactionCheckResult | undefined>()(check.data);
  const [page] = useQueries({ queries: [vega.listVotes({ partyId }), vega.getSpamStatistics({ partyId })] });
  expectType<PageData<Vote> | undefined>()(page.data);
  const queryClient = new QueryClient();
  expectType<SpamStatisticsResponse>()(await queryClient.fetchQuery(vega.getSpamStatistics({ partyId })));
  await queryClient.prefetchInfiniteQuery(vega.listVotes.infinite({ proposalId }));
  await queryClient.invalidateQueries({ queryKey: vega.listVotes.key({ proposalId }) });
  const query = vega.listVotes({ proposalId });
  expectType<PageData<Vote> | undefined>()(useSWR(query.queryKey, () => query.queryFn()).data);

  // @ts-expect-error: one of the two ids has to be there
  useQuery(vega.listVotes({}));
  // @ts-expect-error: where pages begin follows from the pages before
  useInfiniteQuery(vega.listVotes.infinite({ proposalId, pagination: { after: "c" } }));
  // @ts-expect-error: the check is sent once
  useQuery(vega.checkTransaction({ tx }));
  // @ts-expect-error: one object is no list
  useInfiniteQuery(vega.getSpamStatistics.infinite({ partyId }));
}
