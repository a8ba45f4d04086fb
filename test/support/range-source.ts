import { type BalanceChange, createClient, type Scan, type ScanOptions } from "../../src/index.js";
import { json } from "./recorder.js";

/** One request of a scan. Times are Unix nanoseconds. */
export interface RangeRequest {
  start: number | undefined;
  end: number | undefined;
  size: number;
  newestFirst: boolean;
  after: string | undefined;
}

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

/** So many ids of parties fit one request, and twice as many do not. */
const partiesInRequest = 50;
const partyIdOf = (part: number, index = 0) => (part * partiesInRequest + index).toString(16).padStart(64, "0");

export const toRow = (record: BalanceChange): Row => ({ time: Number(record.timestamp), account: accountOf(record) });

/** Responds to requests for ranges of an array. Rows of one time come in an order of its own. */
export class RangeSource {
  /** Without those for the oldest record of all. */
  readonly requests: RangeRequest[] = [];
  /** Of the requests in flight. */
  readonly signals = new Set<AbortSignal>();
  mostInFlight = 0;
  rowsSent = 0;
  /** The rows that the source keeps. They can change while it is read. */
  rows: Row[];
  readonly #behavior: RangeBehavior;
  readonly #range: { start?: number | undefined; end?: number | undefined };
  readonly #parts: number;

  /** @param parts - How many requests the filter takes: each for other accounts. A power of two. */
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

  scan(options: ScanOptions = {}): Scan<BalanceChange> {
    const client = createClient({
      baseUrl: "https://node.example",
      fetch: (request) => this.#respond(request),
      pacing: false,
      retry: false,
      timeout: Number.POSITIVE_INFINITY,
    });
    const [startTimestamp, endTimestamp] = [this.#range.start, this.#range.end].map((time) =>
      time === undefined ? undefined : BigInt(time),
    );
    const parties = this.#parts === 1 ? 0 : this.#parts * partiesInRequest;
    const filter = { partyIds: Array.from({ length: parties }, (_, index) => partyIdOf(0, index)) };
    return client.scanBalanceChanges({ filter, dateRange: { startTimestamp, endTimestamp } }, options);
  }

  /** Whether there are requests in flight, and all of them were aborted. */
  get areAborted(): boolean {
    return this.inFlight > 0 && [...this.signals].every(({ aborted }) => aborted);
  }

  get inFlight(): number {
    return this.signals.size;
  }

  /** The rows that a scan has to yield. */
  expected(newestFirst = false): Row[] {
    const { start = 0, end = Number.POSITIVE_INFINITY } = this.#range;
    const { blockTime = Number.POSITIVE_INFINITY } = this.#behavior;
    const final = Math.min(end, Math.floor(blockTime / 1000) * 1000);
    const rows = inScanOrder(this.rows.filter(({ time }) => time >= start && time < final));
    return newestFirst ? rows.reverse() : rows;
  }

  async #respond({ url, signal }: Request): Promise<Response> {
    const { searchParams } = new URL(url);
    const request = readRequest(searchParams);
    const asked = new Set(searchParams.getAll("filter.partyIds"));
    const parts = Array.from({ length: this.#parts }, (_, part) => asked.size === 0 || asked.has(partyIdOf(part)));
    const { start, end, size, newestFirst, after } = request;
    // For the oldest record of all.
    if (start !== undefined || end !== undefined || size > 1 || newestFirst) await this.#wait(request, signal);
    const { hasCursors = true, blockTime } = this.#behavior;
    const cursorOf = ({ time, account }: Row) => (hasCursors ? `${time}/${account}` : "cursor");
    const rows = this.#find(request).filter(({ account }) => parts[account % this.#parts]);
    const skipped = after === undefined || !hasCursors ? 0 : rows.findIndex((row) => cursorOf(row) === after) + 1;
    const page = rows.slice(skipped, skipped + size);
    const edges = page.map((row) => ({ cursor: cursorOf(row), node: this.#toRecord(row) }));
    this.rowsSent += edges.length;
    const pageInfo = {
      startCursor: edges.at(0)?.cursor ?? "",
      endCursor: edges.at(-1)?.cursor ?? "",
      hasNextPage: skipped + edges.length < rows.length,
      hasPreviousPage: skipped > 0,
    };
    const block = { "x-block-height": "1", "x-block-timestamp": String(blockTime) };
    return json({ balances: { edges, pageInfo } }, { headers: blockTime === undefined ? {} : block });
  }

  async #wait(request: RangeRequest, signal: AbortSignal): Promise<void> {
    this.requests.push(request);
    this.signals.add(signal);
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      await this.#behavior.schedule?.(request);
    } finally {
      this.signals.delete(signal);
    }
  }

  #toRecord({ time, account }: Row): BalanceChange {
    return {
      timestamp: `${BigInt(time)}`,
      assetId: String(account),
      partyId: partyIdOf(account % this.#parts),
      marketId: "",
      accountType: "ACCOUNT_TYPE_GENERAL",
      balance: "1",
    };
  }

  #find({ start, end, newestFirst }: RangeRequest): Row[] {
    const { microseconds = false, countsStartIn = true, countsEndIn = false } = this.#behavior;
    const cut = (time: number) => (microseconds ? Math.floor(time / 1000) * 1000 : time);
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

function readRequest(query: URLSearchParams): RangeRequest {
  const numberOf = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  return {
    start: numberOf("dateRange.startTimestamp"),
    end: numberOf("dateRange.endTimestamp"),
    size: numberOf("pagination.first") ?? 0,
    newestFirst: query.get("pagination.newestFirst") === "true",
    after: query.get("pagination.after") ?? undefined,
  };
}
