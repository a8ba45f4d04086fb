import type { ListNodeSignaturesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { NodeSignature } from "../../generated/types.js";
import type { VegaClient } from "../client/client.js";
import { coverageOf, type Follower, type FollowerKind } from "./follower.js";
import { type FollowOptions, followChecks } from "./options.js";
import { PollingFollower } from "./polling-follower.js";

/** The signatures for a resource after a block. */
type SignatureBatch = {
  /** The signatures that were not in an earlier batch. */
  records: readonly NodeSignature[];
  /** All signatures so far. */
  signatures: readonly NodeSignature[];
  /** Unix nanoseconds: every signature of a block before this time is among `signatures`. */
  upTo: bigint;
};

/** The signatures for a resource as they come. A batch has all `signatures` so far; `until` waits for enough. */
export interface SignatureFollower extends Follower<NodeSignature, SignatureBatch, readonly NodeSignature[]> {}

type Query = Parameters<typeof followNodeSignatures>[1];
type State = Pick<SignatureBatch, "signatures" | "upTo">;

/**
 * Follows the signatures of the nodes for a resource, such as a withdrawal: each signature once. A follower begins with
 * the signatures that are there. It has no option `from`: signatures have no time, and a resource has few of them.
 *
 * @param client - The client to poll with.
 * @param query - The resource.
 * @param options - How often to poll, and the options of each request.
 * @throws The next call rejects with a {@link StalledError}; with an `ApiError` or a `ResponseError` that is not
 * transient; with an `ArgumentError`.
 * @example
 * ```ts
 * const signatures = await followNodeSignatures(client, { id: withdrawalId }).until((all) => all.length >= 2);
 * ```
 */
export function followNodeSignatures(
  client: VegaClient,
  query: Omit<ListNodeSignaturesArguments, "pagination">,
  options: Omit<FollowOptions, "from"> = {},
): SignatureFollower {
  return new PollingFollower(nodeSignatures, client, query, options);
}

const operation = "followNodeSignatures";
const { id } = operations.listNodeSignatures.arguments;
const { from: _, ...checks } = followChecks;

/** Signatures have no time: each poll reads all of them. */
export const nodeSignatures: FollowerKind<Query, State, SignatureBatch, readonly NodeSignature[]> = {
  operation,
  spec: { arguments: { id } },
  checks,
  pageSize: 1000,
  begin: () => ({ signatures: [], upTo: 0n }),
  async poll(state, context) {
    const { client, query, call, pageSize } = context;
    const listing = client.listNodeSignatures({ ...query, pagination: { first: pageSize } }, call);
    const found = await listing.toArray();
    const { end: upTo, block } = await coverageOf(listing, operation);
    if (upTo <= state.upTo) return { state, block };
    // A node only ever adds signatures.
    const all = new Map([...state.signatures, ...found].map((each) => [`${each.kind} ${each.sig}`, each]));
    const signatures = [...all.values()];
    const records = signatures.slice(state.signatures.length);
    return { state: { signatures, upTo }, block, batch: { records, signatures, upTo } };
  },
  valuesOf: ({ signatures }) => [signatures],
};
