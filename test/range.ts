import type { Part, RangeRequest, ScanSource } from "../src/scan/scan.js";

export interface Row {
  time: number;
  /** Tells rows of one time apart. */
  id: number;
  kind: number;
}

export interface RangeBehaviour {
  countsStartIn?: boolean;
  countsEndIn?: boolean;
  /** Answers in an order of its own. */
  schedule?: (request: RangeRequest) => Promise<unknown>;
}

/** Answers ranges of an array as a node does; how it counts the ends of a range can be chosen. */
export class RangeSource implements ScanSource<Row> {
  readonly operation = "scanBalanceChanges";
  readonly requests: RangeRequest[] = [];
  readonly signals: AbortSignal[] = [];
  underWay = 0;
  mostUnderWay = 0;
  rowsSent = 0;
  readonly #rows: readonly Row[];
  readonly #behaviour: RangeBehaviour;
  readonly #range: { start?: number | undefined; end?: number | undefined };
  readonly #kinds: readonly number[];
  readonly #isParted: boolean;

  /** Parted, each kind is asked for by itself, as lists are that are too long for one request. */
  constructor(
    rows: readonly Row[],
    range: { start?: number | undefined; end?: number | undefined } = {},
    behaviour: RangeBehaviour = {},
    kinds: readonly number[] = [],
    isParted = false,
  ) {
    this.#isParted = isParted;
    this.#rows = [...rows].sort((a, b) => a.time - b.time);
    this.#range = range;
    this.#behaviour = behaviour;
    this.#kinds = kinds;
  }

  readonly timeOf = (row: Row) => String(row.time);

  open() {
    const { start, end } = this.#range;
    return {
      start: start === undefined ? undefined : BigInt(start),
      end: end === undefined ? undefined : BigInt(end),
      parts: this.#isParted ? this.#kinds.map((kind) => this.#part([kind])) : [this.#part(this.#kinds)],
    };
  }

  /** What a scan has to hand out. */
  expected(newestFirst = false): Row[] {
    const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY } = this.#range;
    const rows = this.#rows.filter((row) => row.time >= start && row.time < end && this.#isOf(this.#kinds, row));
    return newestFirst ? rows.reverse() : rows;
  }

  #isOf = (kinds: readonly number[], row: Row) => kinds.length === 0 || kinds.includes(row.kind);

  #part(kinds: readonly number[]): Part<Row> {
    return {
      fetch: async (request, signal) => {
        this.requests.push(request);
        this.signals.push(signal);
        this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
        try {
          await this.#behaviour.schedule?.(request);
        } finally {
          this.underWay--;
        }
        const records = this.#find(request, kinds);
        const page = records.slice(0, request.size);
        this.rowsSent += page.length;
        return { records: page, hasMore: page.length < records.length, response: new Response() };
      },
      split: () => {
        const middle = Math.ceil(kinds.length / 2);
        return kinds.length < 2 ? [] : [this.#part(kinds.slice(0, middle)), this.#part(kinds.slice(middle))];
      },
    };
  }

  #find({ start, end, newestFirst }: RangeRequest, kinds: readonly number[]): Row[] {
    const { countsStartIn = true, countsEndIn = false } = this.#behaviour;
    const rows = this.#rows.filter((row) => {
      const time = BigInt(row.time);
      const isBehindStart = start === undefined || (countsStartIn ? time >= start : time > start);
      const isAheadOfEnd = end === undefined || (countsEndIn ? time <= end : time < end);
      return isBehindStart && isAheadOfEnd && this.#isOf(kinds, row);
    });
    return newestFirst ? rows.reverse() : rows;
  }
}
