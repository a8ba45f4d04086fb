import type { VegaClient } from "../client/client.js";
import { type PaginationError, VegaError } from "../errors/index.js";
import type { FollowEvent, FollowOptions } from "../follow/index.js";
import type { Block } from "../http/block.js";
import { finalTime } from "../values/microseconds.js";
import { inTransaction, type SqlDatabase } from "./database.js";
import { Network } from "./network.js";
import type { SyncOptions } from "./options.js";
import { Positions, type SyncList } from "./positions.js";

/** After so many failed polls in a row, a call ends that does not follow. */
const mostFailures = 4;

/** One call of `syncTo`: what its lists have in common. */
export class SyncRun {
  readonly database: SqlDatabase;
  readonly client: VegaClient;
  readonly options: SyncOptions;
  readonly positions: Positions;
  readonly network: Network;
  /** The block of the node when the call began; `undefined` if it names none. */
  block: Block | undefined;
  /** Why the call rejects although every list has ended. */
  incomplete: PaginationError | undefined;
  /** Ends the reading of every list. */
  readonly signal: AbortSignal;
  #isBehind = false;
  readonly #controller = new AbortController();
  readonly #records: Record<SyncList, number> = { balances: 0, votes: 0, signatures: 0, profiles: 0 };

  constructor(database: SqlDatabase, client: VegaClient, options: SyncOptions) {
    this.database = database;
    this.client = client;
    this.options = options;
    this.positions = new Positions(database);
    this.network = new Network(this.positions, "syncTo");
    const { signal: own } = this.#controller;
    this.signal = options.signal ? AbortSignal.any([options.signal, own]) : own;
  }

  /** How many records were stored. */
  get records(): Readonly<Record<SyncList, number>> {
    return this.#records;
  }

  /** Whether no block has come since a position, so that there is nothing to read. Otherwise it says if the node is waited for. */
  isAt(list: SyncList, position: bigint | undefined): boolean {
    const { block } = this;
    if (block === undefined || position === undefined || finalTime(block.timestamp) > position) return false;
    const { onBehind, onStored, catchUp = 15_000 } = this.options;
    const isAt = finalTime(block.timestamp) === position;
    if (isAt) onStored?.({ list, records: this.#records[list], upTo: position });
    else if (!this.#isBehind) onBehind?.({ block, position, catchUp });
    this.#isBehind ||= !isAt;
    return isAt;
  }

  /** Ends the reading of every list with an error. */
  fail(error: unknown): void {
    this.#controller.abort(error);
  }

  /** The options of a follower. One that only reads up to the newest block waits neither for
   * a chain that stands still, nor for a node that does not respond. */
  get following(): FollowOptions {
    const { pollInterval, stalledAfter, observe, follow, catchUp = 15_000 } = this.options;
    if (follow) return { pollInterval, stalledAfter, observe, signal: this.signal };
    const endIfRepeated = (event: FollowEvent) => {
      observe?.(event);
      if (event.type !== "retry" || event.failures < mostFailures) return;
      const { operation, error } = event;
      this.fail(new VegaError(error.message, { operation, cause: error }));
    };
    return { pollInterval, stalledAfter: catchUp, observe: endIfRepeated, signal: this.signal };
  }

  /**
   * Stores records together with the position after them.
   *
   * @param add - Stores the records, and returns how many they are.
   */
  store(list: SyncList, query: object, upTo: bigint | undefined, add: () => number): void {
    this.#records[list] += inTransaction(this.database, () => {
      this.network.store();
      if (upTo !== undefined) this.positions.set(list, query, upTo);
      return add();
    });
    const { incomplete } = this;
    this.options.onStored?.({ list, records: this.#records[list], upTo, ...(list === "profiles" && { incomplete }) });
  }
}
