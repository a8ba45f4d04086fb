/**
 * Reads lists of a fake node to their end, by following its cursors and with the client, and compares the records that are
 * read with those that the node has.
 */
import { createClient, type PageContent, PaginationError } from "vegaprotocol-client";
import type { FakeNode } from "vegaprotocol-client/testing";

/** The records that were read from a list. */
export interface Reading {
  different: number;
  repeated: number;
  requests: number;
  /** Why it ended before the end of the list. */
  endedBy?: string;
}

/** The readings of one list in pages of one size. */
export interface PagingResult {
  list: string;
  pageSize: number;
  /** How many records the node has. */
  stored: number;
  /** By a loop that requests each next page with `endCursor`. */
  byCursor: Reading | undefined;
  byClient: Reading;
}

export async function comparePaging(node: FakeNode): Promise<PagingResult[]> {
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
  const { votes, balances } = node.records;
  // Of the proposals with generated votes, the first is closed.
  const [closed = "", open = ""] = new Set(votes.map(({ proposalId }) => proposalId));

  async function read(records: AsyncIterable<unknown>): Promise<Reading> {
    const before = node.requests.length;
    const texts: string[] = [];
    let endedBy: string | undefined;
    try {
      for await (const record of records) texts.push(JSON.stringify(record));
    } catch (error) {
      if (error instanceof RepeatedPage) endedBy = "an infinite loop";
      else if (PaginationError.is(error)) endedBy = `a PaginationError, "${error.reason}"`;
      else throw error;
    }
    const different = new Set(texts).size;
    const requests = node.requests.length - before;
    return { different, repeated: texts.length - different, requests, ...(endedBy && { endedBy }) };
  }

  const compareVotes = async (list: string, proposalId: string, pageSize: number): Promise<PagingResult> => ({
    list,
    pageSize,
    stored: votes.filter((vote) => vote.proposalId === proposalId).length,
    byCursor: await read(followCursors(node, `/api/v2/votes?proposalId=${proposalId}&pagination.first=${pageSize}`)),
    byClient: await read(client.listVotes({ proposalId, pagination: { first: pageSize } })),
  });
  const stored = balances.length;
  return [
    await compareVotes("votes on a closed proposal", closed, 5000),
    await compareVotes("votes on a closed proposal", closed, 100),
    await compareVotes("votes on an open proposal", open, 20),
    {
      list: "balance changes",
      pageSize: 1000,
      stored,
      byCursor: await read(followCursors(node, "/api/v2/balance/changes?pagination.first=1000")),
      byClient: await read(client.listBalanceChanges({ pagination: { first: 1000 } })),
    },
    {
      list: "balance changes, by a scan",
      pageSize: 5000,
      stored,
      byCursor: undefined,
      byClient: await read(client.scanBalanceChanges()),
    },
  ];
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
