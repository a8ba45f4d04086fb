import { type Answer, hasNoBlock } from "../http/call.js";
import { type Lack, NotShown } from "../http/expectation.js";
import type { CallRequest } from "../http/request.js";
import { completeFrom, judge } from "../list/judge.js";
import type { ReceivedPage } from "../list/page.js";
import { compareIntegers, minimum } from "../values/integers.js";
import { type Verdict, verdictOn } from "./freshness.js";
import type { Outcome, PoolClient } from "./requests.js";

export type NodeResponse<T> = Outcome<T> & { readonly answer: Answer<T> };

/** The responses to one call. They are judged anew each time, since every response to any call says more about the nodes. */
export class Responses<T> {
  /** Whether the call is for the newest data: its response is compared with other nodes, and with what was returned before. */
  readonly isFresh: boolean;
  readonly all: NodeResponse<T>[] = [];
  readonly #client: PoolClient;
  readonly #call: CallRequest<T>;

  constructor(client: PoolClient, call: CallRequest<T>) {
    this.isFresh = call.expectation === undefined || call.expectation.isFresh === true;
    this.#client = client;
    this.#call = call;
  }

  /** The first response that lacks this, or nothing. It may be stale. */
  find(lack: Lack | undefined): NodeResponse<T> | undefined {
    return this.all.find((response) => this.#lackOf(response) === lack);
  }

  /** The latest response without a flaw. */
  get best(): NodeResponse<T> | undefined {
    return latest(this.all.filter((response) => this.flawOf(response) === undefined));
  }

  /** The response to return if each has a flaw: of those with the longest history, if that matters, the latest one. */
  get leastFlawed(): NodeResponse<T> | undefined {
    const { historyFrom } = this.#call.expectation ?? {};
    const usable = this.all.filter((response) => [undefined, "history"].includes(this.#lackOf(response)));
    if (historyFrom === undefined || usable.length === 0) return latest(usable);
    const starts = usable.map(({ answer }) => completeFrom(answer.data as ReceivedPage<unknown>));
    const earliest = starts.reduce(minimum);
    const longest = usable.filter((_, index) => starts[index] === earliest);
    const trusted = longest.filter((response) => this.#doubtOf(response) !== "suspect");
    return latest(trusted.length > 0 ? trusted : longest);
  }

  /** Why a response cannot be returned; `undefined` if it can. */
  flawOf(response: NodeResponse<T>): Lack | Verdict | "regression" | undefined {
    return this.#lackOf(response) ?? this.#doubtOf(response);
  }

  #lackOf({ answer }: NodeResponse<T>): Lack | undefined {
    const { expectation, node } = this.#call;
    if (expectation && hasNoBlock(answer.block)) return "block";
    const nodes = this.#client.nodes.filter(({ url }) => node === undefined || node === url);
    // A node that has not responded yet can name its block.
    const named = nodes.some(({ head, heardAt, coolDown }) => head || (!Number.isFinite(heardAt) && coolDown === 0));
    return expectation && judge(expectation, answer, named);
  }

  /** Why a response is marked as stale. Records of the past are final, also on a node that lags. */
  #doubtOf(response: NodeResponse<T>): Verdict | "regression" | undefined {
    const verdict = this.#verdictOn(response);
    if (!this.isFresh) return verdict === "suspect" ? verdict : undefined;
    const { timestamp } = response.answer.block ?? {};
    const { returned = 0n } = this.#client.session;
    return verdict ?? (timestamp !== undefined && timestamp < returned ? "regression" : undefined);
  }

  #verdictOn({ answer: { block }, endedAt }: NodeResponse<T>): Verdict | undefined {
    return verdictOn(block, endedAt, this.#client);
  }

  /** Returns the answer of a response, and notes what all of them say about their nodes. */
  settle(response: NodeResponse<T>): Answer<T> {
    const { session } = this.#client;
    const { answer, node } = response;
    const doubt = this.#doubtOf(response);
    const isPinned = this.#call.node !== undefined;
    for (const each of this.all) {
      // The best of several bad nodes continues to serve calls.
      const isSpared = each === response && this.isFresh && !isPinned;
      each.node.judge(isSpared ? undefined : this.#verdictOn(each), each.sentAt);
    }
    const { timestamp = 0n } = answer.block ?? {};
    if (!isPinned && doubt !== "suspect" && timestamp > (session.returned ?? 0n)) session.returned = timestamp;
    return { ...answer, stale: doubt !== undefined, node: node.url };
  }

  /** @throws {@link NotShown} if there are responses, and each lacks what it is used for. */
  throwIfNotShown(): void {
    // A node that only lacks the block has the place, and may catch up.
    const behind = this.all.filter((response) => this.#lackOf(response) === "block");
    const shown = latest(behind.length > 0 ? behind : this.all);
    const lack = shown && this.#lackOf(shown);
    if (lack) throw new NotShown(lack, shown.answer);
  }
}

function latest<T>(responses: readonly NodeResponse<T>[]): NodeResponse<T> | undefined {
  const timeOf = ({ answer }: NodeResponse<T>) => answer.block?.timestamp ?? -1n;
  return [...responses].sort((a, b) => compareIntegers(timeOf(b), timeOf(a)))[0];
}
