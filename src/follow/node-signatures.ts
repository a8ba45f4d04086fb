import type { ListNodeSignaturesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { NodeSignature } from "../../generated/types.js";
import { callback } from "../arguments/check-options.js";
import { systemClock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import type { Listing } from "../client/listing.js";
import { VegaError } from "../errors/index.js";
import type { Block } from "../http/call.js";
import { finalTime } from "../values/times.js";
import { blockOf, earlier, type Follower, type FollowSettings, firstPageOf, follower, type Poll } from "./follower.js";
import { type FollowOptions, followChecks } from "./options.js";

/** The argument of {@link followNodeSignatures}. */
export interface FollowNodeSignaturesArguments extends Omit<ListNodeSignaturesArguments, "pagination"> {}

/** The signatures for a resource after a block. */
export interface SignatureBatch {
  /** The signatures that were not in an earlier batch. */
  records: readonly NodeSignature[];
  /** All signatures so far. */
  signatures: readonly NodeSignature[];
  /** Unix nanoseconds: every signature of a block before this time is among `signatures`. */
  upTo: bigint;
}

/** The signatures for a resource as they come. */
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

/**
 * Follows the signatures of the nodes for a resource, such as a withdrawal: each signature once. A follower begins with the
 * signatures that are there. It has no option `from`: signatures have no time, and a resource has few of them.
 *
 * @throws The next call rejects with a {@link StalledError}; with an `ApiError` or a `ResponseError` that is not transient; with an
 * `ArgumentError`.
 * @example
 * ```ts no-run
 * for await (const { sig } of followNodeSignatures(client, { id: withdrawalId })) console.log(toBytes(sig));
 * ```
 */
export function followNodeSignatures(
  client: VegaClient,
  query: FollowNodeSignaturesArguments,
  options: FollowOptions = {},
): SignatureFollower {
  return followNodeSignaturesWith({ clock: systemClock, pageSize: 1000 }, client, query, options);
}

/** @internal */
export function followNodeSignaturesWith(
  { clock, pageSize }: FollowSettings,
  client: VegaClient,
  query: FollowNodeSignaturesArguments,
  options: FollowOptions,
): SignatureFollower {
  const signatures = follower<NodeSignature, SignatureBatch>({
    operation,
    clock,
    client,
    query,
    spec: { arguments: { id } },
    options,
    checks: followChecks,
    open: (call) => {
      const source = new SignaturesSource((signal) =>
        client.listNodeSignatures({ ...query, pagination: { first: pageSize } }, { ...call, signal }),
      );
      return (signal) => source.poll(signal);
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

/** Reads all signatures for a resource. */
class SignaturesSource {
  readonly #list: (signal: AbortSignal) => Listing<NodeSignature>;
  /** Each signature once. A node only ever adds signatures. */
  readonly #known = new Map<string, NodeSignature>();
  #upTo: bigint | undefined;

  constructor(list: (signal: AbortSignal) => Listing<NodeSignature>) {
    this.#list = list;
  }

  async poll(signal: AbortSignal): Promise<Poll<SignatureBatch>> {
    const found: NodeSignature[] = [];
    let page = await firstPageOf(this.#list(signal));
    let block: Block = blockOf(operation, page);
    for (;;) {
      found.push(...page.nodes);
      const next = await page.nextPage();
      if (next === undefined) break;
      page = next;
      block = earlier(block, blockOf(operation, page));
    }
    const upTo = finalTime(block.timestamp);
    if (this.#upTo !== undefined && upTo <= this.#upTo) return { block };
    this.#upTo = upTo;
    const records = found.filter((signature) => this.#add(signature));
    return { block, batch: { records, signatures: [...this.#known.values()], upTo } };
  }

  #add(signature: NodeSignature): boolean {
    const key = `${signature.kind} ${signature.sig}`;
    const isNew = !this.#known.has(key);
    if (isNew) this.#known.set(key, signature);
    return isNew;
  }
}
