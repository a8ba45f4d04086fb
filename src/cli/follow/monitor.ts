import type { FollowEvent } from "../../follow/index.js";
import type { Block } from "../../http/block.js";
import { canBeOneChain } from "../../source/one-chain.js";
import { describeDuration } from "../durations.js";
import { IncompleteError, UsageError } from "../exit.js";
import type { Io } from "../io.js";
import { printMessage } from "../message.js";
import { formatTime } from "../output/columns.js";
import { count } from "../progress.js";
import { StatusLine } from "../status-line.js";
import { printBlock } from "./chain.js";
import { Failures } from "./failures.js";
import type { From } from "./plan.js";

/** How far a position may be ahead of the node, in nanoseconds: nodes are behind each other. */
const lead = 60_000_000_000n;

export interface MonitorOptions {
  readonly io: Io;
  readonly isQuiet: boolean;
  /** How long failures may last, in milliseconds. */
  readonly giveUpAfter: number;
  readonly from: From;
  /** A block of the chain that the position belongs to, if one is known. */
  readonly chain: Block | undefined;
}

/** Says how a follower is, and ends it if it cannot continue. */
export class Monitor {
  readonly #options: MonitorOptions;
  readonly #failures: Failures;
  readonly #status: StatusLine;
  readonly #controller = new AbortController();
  /** Ends the follower. */
  readonly signal: AbortSignal;
  #chain: Block | undefined;
  #block: Block | undefined;
  #records = 0;

  constructor(options: MonitorOptions) {
    const { io, giveUpAfter, isQuiet, chain } = options;
    this.#options = options;
    this.#failures = new Failures(giveUpAfter, io.now);
    this.#status = new StatusLine(io, !isQuiet);
    this.#chain = chain;
    this.signal = AbortSignal.any([io.signal, this.#controller.signal]);
  }

  /** The oldest block that was seen; `undefined` before the first response. */
  get chain(): Block | undefined {
    return this.#chain;
  }

  onResponse(node: string, block: Block | undefined): void {
    const duration = this.#failures.onResponse(node);
    if (duration !== undefined) this.#print(`The node responds again after ${describeDuration(duration)}.`);
    if (block === undefined) return;
    try {
      this.#check(block);
    } catch (error) {
      this.#controller.abort(error);
    }
    this.#chain ??= block;
    if (this.#block === undefined || block.timestamp >= this.#block.timestamp) this.#block = block;
    this.#show("waits for the next block");
  }

  onNoResponse(node: string, error: unknown): void {
    this.#failures.onNoResponse(node, error);
  }

  readonly observe = (event: FollowEvent): void => {
    if (event.type === "behind") {
      this.#show("waits for a node that is behind");
      return;
    }
    try {
      const isFirst = this.#failures.onRetry(event);
      const limit = describeDuration(this.#options.giveUpAfter);
      if (isFirst) this.#print(`${event.error.message}. Retrying for ${limit}.`);
      this.#show(`retries in ${describeDuration(event.delay)}`);
    } catch (error) {
      this.#controller.abort(error);
    }
  };

  /** Prints or stores records. The line of the status does not stand between them. */
  async write(records: number, write: () => Promise<void>): Promise<void> {
    this.#status.clear();
    await write();
    this.#records += records;
    this.#show("waits for the next block");
  }

  clear(): void {
    this.#status.clear();
  }

  #check(block: Block): void {
    const { from } = this.#options;
    const chain = this.#chain;
    if (chain !== undefined && !canBeOneChain(chain, block)) {
      throw new UsageError(
        `The position is from another network: block ${printBlock(chain)} and block ${printBlock(block)} of the node cannot be ` +
          "on one chain. Use a node of the network of the position.",
      );
    }
    // A position that has a chain was reached by a node.
    if (chain !== undefined || typeof from !== "bigint" || from <= block.timestamp + lead) return;
    throw new IncompleteError(
      `Expected --from to be no later than the chain, which has reached ${formatTime(block.timestamp)}, got ${formatTime(from)}.`,
    );
  }

  #show(waitsFor: string): void {
    if (!this.#status.isShown || this.signal.aborted) return;
    const texts =
      this.#block === undefined ? [] : [`block ${count(Number(this.#block.height))}`, `lag ${lagOf(this.#block)}`];
    this.#status.show([...texts, `${count(this.#records)} records`, waitsFor].join(", "));
  }

  #print(text: string): void {
    if (this.#options.isQuiet) return;
    this.#status.clear();
    printMessage(this.#options.io, text);
  }
}

const lagOf = ({ timestamp }: Block) => describeDuration(Math.max(0, Date.now() - Number(timestamp / 1_000_000n)));
