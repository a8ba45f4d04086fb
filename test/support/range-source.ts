import type { BalanceChange } from "../../src/index.js";
import type { FetchRange, RangeRequest } from "../../src/scan/range-page.js";
import { scan } from "../../src/scan/scan.js";
import { readScanOptions, type ScanWalkOptions } from "../../src/scan/scan-options.js";
import { ScanRun } from "../../src/scan/scan-run.js";

/** A row of the model: its time in Unix nanoseconds, and its account. */
export interface Row {
  time: number;
  account: number;
}

export interface RangeBehavior {
  /** Whether times are compared in microseconds, as v0.74 nodes do, or in nanoseconds. */
  microseconds?: boolean;
  /** Whether the start belongs to a range. */
  countsStartIn?: boolean;
  /** Whether the end belongs to a range. */
  countsEndIn?: boolean;
  /** Whether cursors lead on; else every page has the same one. */
  hasCursors?: boolean;
  /** The time of the current block, in Unix nanoseconds. Default: the node does not say. */
  blockTime?: number;
  /** Responds in an order of its own. */
  schedule?: (request: RangeRequest) => Promise<unknown>;
}

export const accountOf = ({ assetId }: BalanceChange) => Number(assetId);

/** The order in which a scan has to yield the rows. */
export const inScanOrder = (rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => a.time - b.time || (String(a.account) < String(b.account) ? -1 : 1));

const toRecord = ({ time, account }: Row): BalanceChange => ({
  timestamp: `${BigInt(time)}`,
  assetId: String(account),
  partyId: "",
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
  balance: "1",
});

export const toRow = (record: BalanceChange): Row => ({ time: Number(record.timestamp), account: accountOf(record) });

/** Responds to requests for ranges of an array. Rows of one time come in an order of its own. */
export class RangeSource {
  readonly operation = "scanBalanceChanges";
  readonly requests: RangeRequest[] = [];
  readonly signals: AbortSignal[] = [];
  inFlight = 0;
  mostInFlight = 0;
  rowsSent = 0;
  /** The rows that the source keeps. They can change while it is read. */
  rows: Row[];
  readonly #behavior: RangeBehavior;
  readonly #range: { start?: number | undefined; end?: number | undefined };
  readonly #parts: number;

  /** @param parts - How many requests the filter takes: each for other accounts. */
  constructor(
    rows: readonly Row[],
    range: { start?: number | undefined; end?: number | undefined } = {},
    behavior: RangeBehavior = {},
    parts = 1,
  ) {
    this.rows = [...rows].sort((a, b) => a.time - b.time || b.account - a.account);
    this.#range = range;
    this.#behavior = behavior;
    this.#parts = parts;
  }

  scan(options: ScanWalkOptions = {}) {
    const settings = readScanOptions(options);
    return scan(() => ({
      options: settings,
      open: (controller) => new ScanRun({ operation: this.operation, ...this.#open() }, settings, controller),
    }));
  }

  readonly #open = () => {
    const { start, end } = this.#range;
    return {
      start: start === undefined ? undefined : BigInt(start),
      end: end === undefined ? undefined : BigInt(end),
      fetchRanges: Array.from({ length: this.#parts }, (_, part) =>
        this.#fetch(({ account }) => account % this.#parts === part, this.requests),
      ),
      nodeCount: 1,
    };
  };

  /** The rows that a scan has to yield. */
  expected(newestFirst = false): Row[] {
    const { start = 0, end = Number.POSITIVE_INFINITY } = this.#range;
    const { blockTime = Number.POSITIVE_INFINITY } = this.#behavior;
    const final = Math.min(end, Math.floor(blockTime / 1000) * 1000);
    const rows = inScanOrder(this.rows.filter(({ time }) => time >= start && time < final));
    return newestFirst ? rows.reverse() : rows;
  }

  #fetch(isOfPart: (row: Row) => boolean, requests: RangeRequest[]): FetchRange {
    return async (request, signal) => {
      requests.push(request);
      this.signals.push(signal);
      this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
      try {
        await this.#behavior.schedule?.(request);
      } finally {
        this.inFlight--;
      }
      const { hasCursors = true, blockTime } = this.#behavior;
      const cursorOf = ({ time, account }: Row) => (hasCursors ? `${time}/${account}` : "cursor");
      const rows = this.#find(request).filter(isOfPart);
      const skipped = rows.findIndex((row) => hasCursors && cursorOf(row) === request.after) + 1;
      const page = rows.slice(skipped, skipped + request.size);
      this.rowsSent += page.length;
      const last = page.at(-1);
      return {
        edges: page.map((row) => ({ cursor: cursorOf(row), node: toRecord(row) })),
        hasMore: skipped + page.length < rows.length,
        endCursor: last && cursorOf(last),
        block: blockTime === undefined ? undefined : { height: 1n, timestamp: BigInt(blockTime) },
        response: new Response(),
      };
    };
  }

  #find({ start, end, newestFirst }: RangeRequest): Row[] {
    const { microseconds = false, countsStartIn = true, countsEndIn = false } = this.#behavior;
    const cut = (time: bigint | number) => (microseconds ? Math.floor(Number(time) / 1000) * 1000 : Number(time));
    const [from, to] = [start, end].map((time) => (time === undefined ? undefined : cut(time)));
    const rows = this.rows.filter((row) => {
      const time = cut(row.time);
      const isAfterStart = from === undefined || (countsStartIn ? time >= from : time > from);
      const isBeforeEnd = to === undefined || (countsEndIn ? time <= to : time < to);
      return isAfterStart && isBeforeEnd;
    });
    return newestFirst ? rows.reverse() : rows;
  }
}
