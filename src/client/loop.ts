import { untilAborted } from "../async/abort.js";
import { type Batches, ItemIterator, ignore } from "../async/item-iterator.js";
import { annotate, ConnectionError, describe, VegaError } from "../errors/index.js";
import type { Coverage } from "../errors/vega-error.js";
import type { Connection } from "../evidence/connection.js";
import type { Settings } from "../http/call-options.js";
import type { NodeHttp } from "../http/route.js";

/** What the methods of a client send with. */
export interface ClientContext {
  connection: Connection;
  http: NodeHttp;
  /** The defaults of calls. */
  settings: Settings;
}

/** Loads the code of lists and scans, which programs without them do not need. */
export async function loadLists(signal: AbortSignal | undefined): Promise<typeof import("./lists.js")> {
  try {
    return await untilAborted(signal, new AbortController(), () => import("./lists.js"));
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError(`Part of vegaprotocol-client could not be loaded: ${describe(cause)}`, { cause });
  }
}

/** The loops over a list or a scan. What the first of them covers is a promise. */
export class Loops {
  readonly coverage: Promise<Coverage>;
  #settle: CoverageSettler | undefined;

  constructor() {
    this.coverage = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // If the caller does not use it, its rejection must not end the process.
    this.coverage.catch(ignore);
  }

  start<Item>(open: () => Promise<Batches<Item>>): Loop<Item> {
    const settle = this.#settle;
    this.#settle = undefined;
    return new Loop(open, settle);
  }
}

interface CoverageSettler {
  resolve(coverage: Coverage): void;
  reject(error: unknown): void;
}

/** One loop, which begins with its first item. */
class Loop<Item> extends ItemIterator<Item> {
  readonly #open: () => Promise<Batches<Item>>;
  readonly #settle: CoverageSettler | undefined;
  #batches: Batches<Item> | undefined;

  constructor(open: () => Promise<Batches<Item>>, settle: CoverageSettler | undefined) {
    super();
    this.#open = open;
    this.#settle = settle;
  }

  protected override async more(): Promise<readonly Item[] | undefined> {
    try {
      const batches = this.#batches ?? (await this.#begin());
      if (this.ended) return undefined;
      const items = await batches.next();
      if (items === undefined) this.#settle?.resolve(batches.coverage());
      return items;
    } catch (error) {
      if (VegaError.is(error) && this.#batches) annotate(error, { coverage: this.#batches.coverage(this.taken) });
      this.#settle?.reject(error);
      this.#batches?.end();
      throw error;
    }
  }

  async #begin(): Promise<Batches<Item>> {
    const batches = await this.#open();
    this.limit(batches.maxItems, batches.signal);
    this.#batches = batches;
    return batches;
  }

  protected override cancel(): void {
    // Has no effect after the last item.
    this.#settle?.resolve(this.#batches?.coverage(this.taken) ?? { start: 0n, end: 0n, block: undefined });
    super.cancel();
    this.#batches?.end();
  }
}
