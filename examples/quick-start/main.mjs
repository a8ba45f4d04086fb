/**
 * Reads the votes on a proposal and the balance changes of ten minutes: `node examples/quick-start/main.mjs [URL of a node]`, after
 * `npm ci && npm run build` in the root. Without a URL, a fake node in this process responds.
 */
import { createClient, PaginationError, toDate, VegaError } from "vegaprotocol-client";
import { tallyVotes } from "vegaprotocol-client/reports";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";

const [, , baseUrl = "https://node.example", proposal] = process.argv;
const node = createFakeNode({ votes: 600, balances: 20_000 }, { defects: nodeDefects });
const isFake = baseUrl === "https://node.example";
const client = createClient({ baseUrl, ...(isFake && { fetch: node.fetch }) });

// A proposal that the fake node has; pass the id of a proposal as the second argument for a real node.
const proposalId = proposal ?? node.records.votes.at(-1)?.proposalId ?? "";

try {
  const { yes, no } = await tallyVotes(client.listVotes({ proposalId }));
  console.log(`Proposal ${proposalId.slice(0, 8)}…: ${yes.parties} parties for it, ${no.parties} against it`);

  // A scan reads a range of time completely, or it ends with an error.
  const end = isFake ? node.block.timestamp : BigInt(Date.now()) * 1_000_000n;
  const scan = client.scanBalanceChanges({ dateRange: { startTimestamp: end - 600_000_000_000n } });
  let changes = 0;
  for await (const _ of scan) changes++;
  const coverage = await scan.coverage;
  console.log(`${changes} balance changes from ${toDate(coverage.start).toISOString()} on`);
} catch (error) {
  if (PaginationError.is(error)) console.error(`${error.message} Continue from`, error.resume);
  else if (VegaError.is(error)) console.error(error.message);
  else throw error;
  process.exitCode = 1;
}
