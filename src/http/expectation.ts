import { VegaError } from "../errors/index.js";
import type { Block } from "../values/block.js";

/**
 * The evidence that a response must have. Behind one address, each request can reach another node. Lists say how a page
 * proves it: `list/judge.ts`.
 */
export interface Expectation {
  /**
   * Whether the response decides about the newest data: a client of several nodes compares it with other nodes, and
   * with earlier responses. Default: only a call without an expectation does.
   */
  readonly isFresh?: boolean | undefined;
  /** The address of the node that gets the first request. */
  readonly prefer?: string | undefined;
  /** The time that the block of the node has reached, in Unix nanoseconds. */
  readonly minBlock?: bigint | undefined;
  /** The same, for a page that no other page follows. */
  readonly minBlockAtEnd?: bigint | undefined;
  /** Whether the response must have block headers, if nodes send them at all. */
  readonly needsBlock?: boolean | undefined;
  readonly continuesFrom?: PlaceInList | undefined;
  /** A record of another response, which this page or a later one must have as well. */
  readonly includes?: KnownRecord | undefined;
  /**
   * The time from which on the page is complete, in Unix nanoseconds; 0 for as early as any node can. If no response
   * reaches back that far, the one that reaches back furthest is used.
   */
  readonly historyFrom?: bigint | undefined;
}

export type KnownRecord = Readonly<Record<string, unknown>>;

/** The evidence of a page that continues at a place. */
export type PlaceInList =
  | {
      /** Known records, of which the page has one. */
      readonly records: readonly KnownRecord[];
      /** How many records can come before it. Default: any number. */
      readonly most?: number;
    }
  | {
      /** The times of two blocks, in the order of the walk: the page begins in the first one, or between them. */
      readonly from: bigint;
      readonly to: bigint;
    };

export type EvidenceKind = "block" | "place" | "history";

/** No response met the expectation. A reader turns it into an error for its caller. */
export class MissingEvidence extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.MissingEvidence";
  readonly missing: EvidenceKind;
  /** The block of the response; of a pool, the newest one that a response had. */
  readonly block: Block | undefined;

  constructor(missing: EvidenceKind, block?: Block) {
    super(missing);
    this.missing = missing;
    this.block = block;
  }
}

/** The result of a read; `undefined` if no response meets the expectation. */
export const unlessMissing = <T>(page: Promise<T>): Promise<T | undefined> =>
  page.catch((error: unknown) => (MissingEvidence.is(error) ? undefined : Promise.reject(error)));
