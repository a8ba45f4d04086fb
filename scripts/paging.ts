/**
 * Reads lists of a fake node to their end, by following its cursors and with the client, and compares the records that are
 * read with those that the node has.
 */
import { createClient, type PageContent } from "vegaprotocol-client";
import type { FakeNode } from "vegaprotocol-client/testing";

/** The records that were read from a list. */
export interface Reading {
  different: number;
  repeated: number;
  requests: number;
  isEndless: boolean;
}

/** The readings of lists, with how many records the node has: by a loop that requests each next page with `endCursor`, and by the client. */
export async function comparePaging(node: FakeNode) {
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
  const { votes, balances } = node.records;
  // Of the proposals with generated votes, the first is closed.
  const [closed = "", open = ""] = new Set(votes.map(({ proposalId }) => proposalId));
  const stored = balances.length;
  const votesOn = (list: string, proposalId: string, first: number) => ({
    list,
    first,
    stored: votes.filter((vote) => vote.proposalId === proposalId).length,
    path: `/api/v2/votes?proposalId=${proposalId}&`,
    walk: client.listVotes({ proposalId, pagination: { first } }),
  });
  const changes = client.listBalanceChanges({ pagination: { first: 1000 } });
  const lists = [
    votesOn("votes on a closed proposal", closed, 5000),
    votesOn("votes on a closed proposal", closed, 100),
    votesOn("votes on an open proposal", open, 20),
    { list: "balance changes", first: 1000, stored, path: "/api/v2/balance/changes?", walk: changes },
    { list: "balance changes, by a scan", first: 5000, stored, path: undefined, walk: client.scanBalanceChanges() },
  ];
  const results: { list: string; first: number; stored: number; byCursor: Reading | undefined; byClient: Reading }[] =
    [];
  for (const { path, walk, ...each } of lists) {
    const byCursor = path && (await read(node, followCursors(node, `${path}pagination.first=${each.first}`)));
    results.push({ ...each, byCursor: byCursor || undefined, byClient: await read(node, walk) });
  }
  return results;
}

async function read(node: FakeNode, records: AsyncIterable<unknown>): Promise<Reading> {
  const before = node.requests.length;
  const texts: string[] = [];
  let isEndless = false;
  try {
    for await (const record of records) texts.push(JSON.stringify(record));
  } catch (error) {
    if (!(error instanceof RepeatedPage)) throw error;
    isEndless = true;
  }
  const different = new Set(texts).size;
  return { different, repeated: texts.length - different, requests: node.requests.length - before, isEndless };
}

class RepeatedPage extends Error {}

/** Follows `endCursor` as a hand-written loop does, except that it throws if a cursor repeats, which would be an infinite loop. */
async function* followCursors({ fetch }: FakeNode, path: string): AsyncGenerator<unknown> {
  const cursors = new Set<string>();
  for (let cursor = ""; ; ) {
    const after = cursor && `&pagination.after=${encodeURIComponent(cursor)}`;
    const response = await fetch(`https://node.example${path}${after}`);
    const [page] = Object.values((await response.json()) as Record<string, PageContent<unknown>>);
    for (const edge of page?.edges ?? []) yield edge?.node;
    if (!page?.pageInfo?.hasNextPage) return;
    cursor = page.pageInfo.endCursor;
    if (cursors.has(cursor)) throw new RepeatedPage();
    cursors.add(cursor);
  }
}
