import type { ListNodeSignaturesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { NodeSignature } from "../../generated/types.js";
import { callback } from "../arguments/check-options.js";
import { systemClock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import { VegaError } from "../errors/index.js";
import { finalTime } from "../values/times.js";
import { type Follower, type FollowSettings, PollingFollower, readPages } from "./follower.js";
import { type FollowOptions, followChecks } from "./options.js";

/** The signatures for a resource after a block. */
type SignatureBatch = {
  /** The signatures that were not in an earlier batch. */
  records: readonly NodeSignature[];
  /** All signatures so far. */
  signatures: readonly NodeSignature[];
  /** Unix nanoseconds: every signature of a block before this time is among `signatures`. */
  upTo: bigint;
};

/** The signatures for a resource as they come. A batch also has all `signatures` so far. */
export interface SignatureFollower extends Follower<NodeSignature, SignatureBatch> {
  /**
   * Resolves to all signatures for the resource as soon as the predicate returns `true` for them, and ends the follower.
   *
   * @throws The error that ends the follower; an `ArgumentError` if the predicate is not a function; a `VegaError` if the follower
   * is ended before.
   * @example
   * ```ts
   * const signatures = await followNodeSignatures(client, { id: withdrawalId }).until((all) => all.length >= 2);
   * ```
   */
  until(
    predicate: (signatures: readonly NodeSignature[]) => boolean | Promise<boolean>,
  ): Promise<readonly NodeSignature[]>;
}

const operation = "followNodeSignatures";
const { id } = operations.listNodeSignatures.arguments;
const { from: _, ...checks } = followChecks;

/**
 * Follows the signatures of the nodes for a resource, such as a withdrawal: each signature once. A follower begins with the
 * signatures that are there. It has no option `from`: signatures have no time, and a resource has few of them.
 *
 * @param client - The client to poll with.
 * @param query - The resource.
 * @param options - How often to poll, and the options of each request.
 * @throws The next call rejects with a {@link StalledError}; with an `ApiError` or a `ResponseError` that is not transient; with an
 * `ArgumentError`.
 * @example
 * ```ts no-run
 * for await (const { sig } of followNodeSignatures(client, { id: withdrawalId })) console.log(toBytes(sig));
 * ```
 */
export function followNodeSignatures(
  client: VegaClient,
  query: Omit<ListNodeSignaturesArguments, "pagination">,
  options: Omit<FollowOptions, "from"> = {},
): SignatureFollower {
  return followNodeSignaturesWith({ clock: systemClock, random: Math.random, pageSize: 1000 }, client, query, options);
}

/** @internal */
export function followNodeSignaturesWith(
  { clock, random, pageSize }: FollowSettings,
  client: VegaClient,
  query: Parameters<typeof followNodeSignatures>[1],
  options: Omit<FollowOptions, "from">,
): SignatureFollower {
  const signatures = new PollingFollower<NodeSignature, SignatureBatch>({
    operation,
    clock,
    random,
    client,
    query,
    spec: { arguments: { id } },
    options,
    checks,
    open: () => {
      /** Each signature once. A node only ever adds signatures. */
      const known = new Map<string, NodeSignature>();
      let last: bigint | undefined;
      return async (call) => {
        const listing = client.listNodeSignatures({ ...query, pagination: { first: pageSize } }, call);
        const found: NodeSignature[] = [];
        const { block } = await readPages(operation, listing, ({ nodes }) => {
          found.push(...nodes);
          return false;
        });
        const upTo = finalTime(block.timestamp);
        if (last !== undefined && upTo <= last) return { block };
        last = upTo;
        const isNew = (signature: NodeSignature) =>
          known.size < known.set(`${signature.kind} ${signature.sig}`, signature).size;
        const records = found.filter(isNew);
        return { block, batch: { records, signatures: [...known.values()], upTo } };
      };
    },
  });
  return Object.assign(signatures, {
    async until(predicate: Parameters<SignatureFollower["until"]>[0]) {
      callback(predicate, { operation, argument: "predicate" });
      for await (const { signatures: all } of signatures.batches()) if (await predicate(all)) return all;
      throw new VegaError(`${operation} was ended`, { operation });
    },
  });
}
