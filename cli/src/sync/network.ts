/** Whether a node is of the network that the stored records are from. */
import { type BalanceChange, PaginationError, type VegaClient } from "vegaprotocol-client";
import { ExitError } from "../errors.js";
import { finalTime } from "../times.js";
import { checkpointOf, type StoredList } from "./destination.js";
import { allOf, nameRow, uncheckedRow } from "./rows.js";
import type { Run } from "./run.js";

const nameOf = (change: BalanceChange) => nameRow("balances", uncheckedRow(change));

/** Whether a response shows all of the time of a balance change, and does not have it. */
async function isMissing(record: BalanceChange, client: VegaClient, signal: AbortSignal): Promise<boolean> {
  const startTimestamp = finalTime(BigInt(record.timestamp));
  const dateRange = { startTimestamp, endTimestamp: startTimestamp + 1000n };
  const scan = client.scanBalanceChanges({ dateRange }, { catchUp: 0, signal });
  const records = await scan.toArray().catch((error: unknown) => {
    if (!PaginationError.is(error)) throw error;
  });
  if (!records || records.some((each) => nameOf(each) === nameOf(record))) return false;
  const { start, end } = await scan.coverage;
  return start <= startTimestamp && end !== undefined;
}

/** Looks for the newest balance change; if none is stored, for the first vote and the first signature. */
export async function checkNetwork({ destination, client, signal }: Run, stored: readonly StoredList[]): Promise<void> {
  const newest = await destination.newest({});
  if (newest && (await isMissing(newest, client, signal))) {
    refuseNetwork(`the node does not have its balance change (${nameOf(newest)})`);
  }
  if (newest || stored.length === 0) return;
  // Votes can be cast again, but nodes keep one, and all signatures.
  const pagination = { first: 1 };
  for await (const { partyId, proposalId, timestamp } of allOf(destination, "votes")) {
    const { nodes, block } = await client.listVotes({ partyId, proposalId, pagination }, { signal });
    const isMissing = nodes.length === 0 && block !== undefined && block.timestamp > BigInt(timestamp);
    if (isMissing) refuseNetwork(`the node does not have the vote of party ${partyId} on proposal ${proposalId}`);
    break;
  }
  for await (const { id } of allOf(destination, "signatures")) {
    const { nodes, block } = await client.listNodeSignatures({ id, pagination }, { signal });
    const { position = 0n } = checkpointOf(stored, "signatures", { id }) ?? {};
    const isMissing = nodes.length === 0 && block !== undefined && position > 0n && block.timestamp >= position;
    if (isMissing) refuseNetwork(`the node does not have the signatures of resource ${id}`);
    break;
  }
}

export function refuseNetwork(reason: string): never {
  throw new ExitError(
    `Expected a node of the network that the stored records are from: ${reason}. Use a node of that network, or another destination.`,
  );
}
