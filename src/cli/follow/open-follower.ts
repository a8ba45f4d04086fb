import type { VegaClient } from "../../client/client.js";
import {
  type FollowEvent,
  type FollowVotesArguments,
  followBalanceChanges,
  followNodeSignatures,
  followVotes,
} from "../../follow/index.js";
import type { WireRecord } from "../output/columns.js";
import type { FollowPlan, From } from "./plan.js";

/** Records of one or several blocks. */
export interface FollowBatch {
  readonly records: readonly object[];
  /** The position after it; signatures have none. */
  readonly resume?: string;
}

export interface OpenOptions {
  readonly from: From;
  readonly signal: AbortSignal;
  readonly observe: ((event: FollowEvent) => void) | undefined;
}

/** The batches of the list that a plan follows. */
export function openFollower(
  client: VegaClient,
  { id, query, pollInterval, stalledAfter }: FollowPlan,
  { from, signal, observe }: OpenOptions,
): AsyncIterable<FollowBatch> {
  const options = { pollInterval, stalledAfter, signal, observe };
  switch (id) {
    case "listBalanceChanges":
      return followBalanceChanges(client, query, { ...options, from }).batches();
    case "listVotes":
      return followVotes(client, query as FollowVotesArguments, { ...options, from }).batches();
    case "listNodeSignatures":
      return followNodeSignatures(client, query as { id: string }, options).batches();
  }
}

/** The interfaces of records have no index signature. */
export const asRecord = (record: object) => record as WireRecord;
