import {
  ApiError,
  type BalanceChange,
  ConnectionError,
  PaginationError,
  RateLimitError,
  ResponseError,
  TimeoutError,
  type VegaClient,
  VegaError,
} from "../../../src/index.js";
import { minimum } from "../../../src/values/integers.js";
import type { Violation } from "./judge.js";
import type { Target } from "./read-list.js";
import { show, some, textOf, timeOf } from "./records.js";
import { RunningWorld } from "./running-world.js";
import { Choices, isRich, type World } from "./world.js";

/** Errors after which nothing is wrong with the nodes any more, and after which a reading has to have ended. */
const [errorsUntilCalm, mostErrors] = [3, 9];

/** One reading of a world, with what is wrong with it. */
export class Reading implements Target {
  readonly world: RunningWorld;
  readonly client: VegaClient;
  readonly violations: Violation[] = [];
  /** The errors after which it was continued. */
  readonly errors: string[] = [];
  readonly #end: bigint | undefined;
  readonly #beside: Choices;

  /** @param end - The end of what is read, which the network reaches at the latest when it is calm. */
  constructor(world: World, end: bigint | undefined) {
    this.world = new RunningWorld(world);
    this.client = this.world.client();
    this.#end = end;
    this.#beside = new Choices(world.seed ^ 0xbe51de);
  }

  fail(kind: string, text: string): void {
    this.violations.push({ kind, text });
  }

  /** Takes everything that comes. Returns the error that ends it; `"hang"` if nothing does. */
  async take<T>(items: AsyncIterable<T>, onItem: (item: T) => unknown): Promise<VegaError | "hang" | undefined> {
    this.world.begin();
    const takeAll = async () => {
      for await (const item of items) if (onItem(item) === true) return;
    };
    let outcome: PromiseSettledResult<void>;
    try {
      [outcome] = await this.world.run(Promise.allSettled([takeAll(), this.#readBeside()]));
    } catch (reason) {
      this.fail("hang", String(reason));
      return "hang";
    }
    if (outcome.status === "fulfilled") return undefined;
    const error: unknown = outcome.reason;
    if (!VegaError.is(error)) {
      this.fail("foreign-error", error instanceof Error ? (error.stack ?? error.message) : String(error));
      return "hang";
    }
    this.#checkError(error);
    const reason = PaginationError.is(error) ? error.reason : undefined;
    if (reason === "pruned" || reason === "behind" || reason === "gap") this.world.reached.add(reason);
    // A ban is waited for, as a caller would.
    if (RateLimitError.is(error)) await this.world.run(this.world.clock.sleep(61_000));
    this.errors.push(`${error.name} ${PaginationError.is(error) ? error.reason : error.message.slice(0, 160)}`);
    return error;
  }

  /** In some worlds, the same client reads another list at the same time. */
  async #readBeside(): Promise<void> {
    const { seed, proposals, blocks } = this.world.world;
    if (!isRich(seed) || !this.#beside.chance(0.3)) return;
    const { client } = this;
    const [proposalId = ""] = proposals;
    const newestFirst = this.#beside.chance(0.5);
    const dateRange = { startTimestamp: this.#beside.one(blocks).time };
    const pagination = { first: this.#beside.one([3, 20, 100]), newestFirst };
    const lists: readonly (() => AsyncIterable<object>)[] = [
      () => client.listVotes({ proposalId, pagination }),
      () => client.listBalanceChanges({ pagination }),
      () => client.listBalanceChanges({ dateRange, pagination }),
      () => client.scanBalanceChanges({}, { order: newestFirst ? "newest-first" : "oldest-first" }),
    ];
    try {
      for await (const _ of this.#beside.one(lists)()) if (this.#beside.chance(0.01)) return;
    } catch (error) {
      if (!VegaError.is(error)) throw error;
    }
  }

  /** A pool with a healthy node does not fail because of another one. A status of 400 is final, whichever node it is from. */
  #checkError(error: VegaError): void {
    const { world, healthyNodes, kept } = this.world;
    if (world.access !== "pool") return;
    const isFinal = ApiError.is(error) && error.status < 500;
    const isOfNode = [ApiError, ConnectionError, ResponseError, TimeoutError].some((each) => each.is(error));
    // A node that takes longer than a second cools down meanwhile.
    const quick = healthyNodes.filter((index) => (world.nodes[index]?.latency ?? 0) < 1000);
    // A follower needs a block, which the only quick nodes may not name.
    const isNameless = ResponseError.is(error) && error.message.includes("without X-Block");
    if (isOfNode && !isFinal && healthyNodes.length > 0 && (quick.length > 0 || !isNameless))
      this.fail("needless-error", `${error.name}: ${error.message.slice(0, 160)}`);
    const isGap = PaginationError.is(error) && error.reason === "gap" && !error.operation?.includes("Votes");
    const hasWhole = quick.some((index) => kept[index] === 0n && world.nodes[index]?.clamp === undefined);
    if (isGap && hasWhole) this.fail("needless-gap", error.message.slice(0, 160));
  }

  /** Returns whether a reading that has failed is continued. */
  continues(error?: VegaError, start?: bigint): boolean {
    if (PaginationError.is(error) && error.reason === "pruned") this.checkPruned(start ?? 0n, error.availableFrom);
    this.world.reached.add("a reading continues after an error");
    if (this.errors.length >= mostErrors) {
      // Nothing can be read of nodes that keep nothing.
      if (this.world.keepsNothing) return false;
      // What proves years without a record takes several responses, each of which can be of a node that keeps less.
      const { access, isSparse } = this.world.world;
      const isUnproved = /no response shows every record|PaginationError gap/.test(this.errors.at(-1) ?? "");
      if (access === "address" && isSparse && isUnproved) return false;
      this.fail("no-end", `still fails when nothing is wrong: ${this.errors.join(", ")}`);
      return false;
    }
    if (this.errors.length === errorsUntilCalm) this.world.calm(this.#end);
    return true;
  }

  /** The size of a page. After several errors it is as large as possible. */
  sizeOf({ size }: { size: number }): number {
    return this.errors.length >= errorsUntilCalm ? 5000 : size;
  }

  /** The records of a reading of balance changes have to be these: all of those that must be there, and others only from `allowed`. */
  compare(what: string, actual: readonly BalanceChange[], must: readonly BalanceChange[], allowed = must): void {
    const got = actual.map(textOf);
    const seen = new Set(got);
    const places = new Map(allowed.map((change, index) => [textOf(change), index]));
    const lost = must.filter((change) => !seen.has(textOf(change)));
    if (lost.length > 0) this.fail("lost", `${what}: ${lost.length} of ${must.length} are missing: ${some(lost)}`);
    const surplus = actual.filter((change) => !places.has(textOf(change)));
    if (surplus.length > 0) this.fail("surplus", `${what}: ${surplus.length} do not belong to it: ${some(surplus)}`);
    if (seen.size < got.length) this.fail("repeated", `${what}: ${got.length - seen.size} came again`);
    const order = got.flatMap((text) => places.get(text) ?? []);
    const isOrdered = order.every((place, index) => index === 0 || place >= (order[index - 1] ?? 0));
    if (!isOrdered) this.fail("order", `${what}: out of order`);
  }

  /**
   * @param oldest - The time of the oldest record that had to be read, unless it is not before the end.
   * @param end - The end of what was read.
   */
  checkStart(what: string, start: bigint | undefined, oldest: bigint | undefined, end?: bigint): void {
    const isAfterEnd = oldest === undefined || (end !== undefined && oldest >= end);
    // A page that is shorter than the records of a block does not lead from a record before a segment to its first one.
    if (this.world.world.nodes.some(({ clamp }) => clamp !== undefined)) return;
    if (isAfterEnd || (start !== undefined && start <= oldest)) return;
    this.fail("late-start", `${what} begins at ${show(start)}, but the nodes keep a record at ${show(oldest)}`);
  }

  /** Checks that nodes keep less than what begins at a time. */
  checkPruned(start: bigint, availableFrom: bigint | undefined): void {
    const { world, kept, changes, healthyNodes } = this.world;
    // A query that fails while the history is searched shows no record. The error is for nothing, but not silent.
    if (world.nodes.some(({ failedQueries }) => failedQueries !== undefined)) return;
    const shows = (index: number) => this.world.showsHistory(index, start);
    const isServed = world.access === "pool" && healthyNodes.length > 0;
    const isKept = isServed ? healthyNodes.some(shows) : [...world.nodes.keys()].every(shows);
    if (isKept) this.fail("false-pruned", `pruned at ${show(start)}, but the nodes keep more`);
    const everywhere = changes.map(timeOf).filter((time) => kept.every((each) => time >= each));
    const least = everywhere.reduce(minimum, this.world.head);
    if (availableFrom === undefined || availableFrom > least)
      this.fail("late-availability", `available from ${show(availableFrom)}, but every node keeps ${show(least)}`);
  }
}
