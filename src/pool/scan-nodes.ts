import type { Target } from "../http/context.js";
import type { FetchRange, RangePage, RangeRequest, SpreadRanges } from "../scan/range-page.js";
import type { Link } from "./link.js";
import type { PoolTarget } from "./target.js";

/** A request begins up to two microseconds before the range that it is for. */
const margin = 1999n;

/** Spreads the requests of one scan over the nodes that have what each of them is for. */
export class ScanNodes implements SpreadRanges {
  readonly count: number;
  readonly #link: Link;
  readonly #node: string | undefined;
  /** The first request: its response ends the scan. */
  #first: Promise<RangePage> | undefined;
  /** The block time of that response. What is before it is final on every node that has reached it. */
  #end: bigint | undefined;
  #isOpen = false;
  /** Since when balance changes are kept, if no node keeps them from the start of the range. */
  #oldest: bigint | undefined;

  constructor(link: Link, target: Target | undefined) {
    this.#link = link;
    this.#node = target?.node;
    this.count = this.#node === undefined ? link.nodes.length : 1;
  }

  get now(): number {
    return this.#link.clock.now();
  }

  async oldest(): Promise<bigint | undefined> {
    await this.#first;
    return this.#oldest;
  }

  mayHaveChanged(): boolean {
    return this.#oldest !== undefined;
  }

  spread(fetchRange: FetchRange): FetchRange {
    return (request, signal) => {
      if (this.#first !== undefined) return this.#fetch(fetchRange, request, signal, { until: this.#endOf(request) });
      this.#isOpen = request.start === undefined;
      this.#first = this.#fetchFirst(fetchRange, request, signal);
      return this.#first;
    };
  }

  async #fetchFirst(fetchRange: FetchRange, request: RangeRequest, signal: AbortSignal): Promise<RangePage> {
    const { end } = request;
    const kind = { compares: this.#node === undefined, isOpen: true, until: end };
    let page = await this.#fetch(fetchRange, request, signal, kind);
    // Of a node that lags by a few blocks, while another one has reached the end of the range.
    const isEarly = end !== undefined && page.blockTime !== undefined && page.blockTime < end;
    if (isEarly && this.#hasReached(end)) page = await this.#fetch(fetchRange, request, signal, { until: end });
    this.#end = page.blockTime;
    return page;
  }

  #hasReached(end: bigint): boolean {
    const nodes = this.#link.nodes.filter(({ url }) => this.#node === undefined || url === this.#node);
    return nodes.some(({ sighting, cause }) => cause !== "suspect" && sighting && sighting.block.timestamp >= end);
  }

  #endOf({ end }: RangeRequest): bigint | undefined {
    return end !== undefined && this.#end !== undefined && end > this.#end ? this.#end : (end ?? this.#end);
  }

  async #fetch(
    fetchRange: FetchRange,
    request: RangeRequest,
    signal: AbortSignal,
    kind: PoolTarget,
  ): Promise<RangePage> {
    // Without a start, the scan begins with the oldest record of all.
    const reach = request.start === undefined ? 0n : request.start + margin;
    const target: PoolTarget = { ...kind, node: this.#node, reach, verifiesHistory: !this.#isOpen };
    const page = await fetchRange(request, signal, target);
    if (target.reach !== reach && !this.#isOpen) this.#oldest = target.reach;
    return page;
  }
}
