// What a consumer writes, with each compiler that is promised.
import {
  type AccountType,
  ApiError,
  type BalanceChange,
  createClient,
  type Listing,
  type ListVotesArguments,
  type Page,
  paginate,
  type Scan,
  type SpamStatisticsResponse,
  toNanoseconds,
  VegaError,
  type Vote,
} from "vegaprotocol-client";
import type { paths } from "vegaprotocol-client/openapi-types";
import {
  createFakeNetwork,
  createFakeNode,
  type FakeNetwork,
  type FakeNode,
  nodeDefects,
} from "vegaprotocol-client/testing";
import { type AnswerMismatch, validateAnswers } from "vegaprotocol-client/validate";

const node: FakeNode = createFakeNode({ votes: 10 }, { defects: nodeDefects });
const network: FakeNetwork = createFakeNetwork({ nodes: [{ lag: 1 }, {}] });
network.nextBlock({ balances: 1 });
createFakeNode({ votes: [{}] }).nextBlock({ votes: [{ partyId: "a" }] });
const client = createClient({
  baseUrl: "https://node.example",
  fetch: node.fetch,
  headers: { "x-id": "1" },
  validate: validateAnswers({ onMismatch: (_: AnswerMismatch) => {} }),
});

export async function use(partyId: string, signal: AbortSignal): Promise<bigint> {
  const listing: Listing<Vote> = client.listVotes({ partyId, pagination: { first: 5 } }, { maxItems: 9, signal });
  const page: Page<Vote> = await listing;
  const timestamp: `${bigint}` | undefined = page.nodes[0]?.timestamp;
  for await (const { value } of listing) if (value === "VALUE_YES") break;
  const scan: Scan<BalanceChange> = client.scanBalanceChanges({}, { order: "newest-first" });
  const types: (AccountType | (string & {}) | number | undefined)[] = [];
  for await (const { accountType } of scan) types.push(accountType);
  const spam: SpamStatisticsResponse = await client.getSpamStatistics({ partyId });
  const result = await client.checkTransaction({ tx: {} });
  if (!result.success) throw new Error(result.data);
  const numbers: number[] = await paginate(async () => ({
    edges: [{ cursor: "a", node: 1 }],
    pageInfo: null,
  })).toArray();
  try {
    await client.http.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } });
  } catch (error) {
    if (ApiError.is(error))
      throw new Error(`${error.status} ${error.headers.get("x")} ${spam.chainId} ${numbers.length}`);
    if (VegaError.is(error) && error.resume) client.listNodeSignatures({ id: "a", pagination: error.resume });
  }
  return toNanoseconds(timestamp ?? 0n);
}

type VotesQuery = NonNullable<paths["/api/v2/votes"]["get"]["parameters"]["query"]>;
export const votesOf = ({ partyId }: VotesQuery, more: ListVotesArguments) => client.listVotes({ partyId, ...more });

// @ts-expect-error A vote has no such member.
export const wrong = (vote: Vote) => vote.balance;
// @ts-expect-error Without either id there is nothing to list.
client.listVotes({});
