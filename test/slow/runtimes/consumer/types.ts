// What a consumer writes, with each compiler that is promised.
import { type BalanceChange, createClient, type Page, type Scan, VegaError, type Vote } from "vegaprotocol-client";
import type { paths } from "vegaprotocol-client/openapi-types";
import { createFakeNetwork, createFakeNode, type FakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { type AnswerMismatch, validateAnswers } from "vegaprotocol-client/validate";

const node: FakeNode = createFakeNode({ votes: 10 }, { defects: nodeDefects });
createFakeNetwork({ nodes: [{ lag: 1 }, {}] }).nextBlock({ balances: 1 });
const client = createClient({
  baseUrl: "https://node.example",
  fetch: node.fetch,
  validate: validateAnswers({ onMismatch: (_: AnswerMismatch) => {} }),
});

export async function use(partyId: string, signal: AbortSignal): Promise<`${bigint}` | undefined> {
  const page: Page<Vote> = await client.listVotes({ partyId, pagination: { first: 5 } }, { maxItems: 9, signal });
  const scan: Scan<BalanceChange> = client.scanBalanceChanges({}, { order: "newest-first" });
  for await (const { accountType } of scan) if (accountType === "ACCOUNT_TYPE_BOND") break;
  const result = await client.checkTransaction({ tx: {} });
  if (!result.success) throw new Error(result.data);
  try {
    await client.http.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } });
  } catch (error) {
    if (VegaError.is(error) && error.resume) client.listNodeSignatures({ id: "aa", ...error.resume });
  }
  return page.nodes[0]?.timestamp;
}

type VotesQuery = NonNullable<paths["/api/v2/votes"]["get"]["parameters"]["query"]>;
export const votesOf = ({ partyId }: VotesQuery) => client.listVotes({ partyId: partyId ?? "" });

// @ts-expect-error A vote has no such member.
export const wrong = (vote: Vote) => vote.balance;
// @ts-expect-error Without either id there is nothing to list.
client.listVotes({});
