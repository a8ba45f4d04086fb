import { type BalanceChange, createClient, type Scan, type ScanOptions } from "../../src/index.js";
import { compareRecords } from "../../src/scan/timeline.js";
import { createFakeNode, type FakeNodeData } from "../../src/testing/index.js";
import { baseUrl } from "./raw-requests.js";
import { changeAt, hex } from "./records.js";

/** What a scan reads, or one of its requests. Unix nanoseconds. */
export interface Range {
  start?: bigint | undefined;
  end?: bigint | undefined;
}

export interface ScannedNodeOptions {
  block?: FakeNodeData["block"];
  /** How many requests the filter takes: a power of two. */
  parts?: number;
  /** Each request waits for the promise. */
  schedule?: ((request: Range) => Promise<unknown>) | undefined;
}

/** So many ids of parties fit one request, and twice as many do not. */
const partiesInRequest = 50;

/** A fake node with balance changes at these times, each of another account, and the requests of scans to it. */
export class ScannedNode {
  /** Without those for the oldest record of all. */
  readonly requests: (Range & { size: number })[] = [];
  mostInFlight = 0;
  readonly #node;
  readonly #parties: string[];
  readonly #schedule: ScannedNodeOptions["schedule"];
  /** Of the requests in flight. */
  readonly #signals = new Set<AbortSignal>();

  constructor(times: readonly (bigint | number)[], { block, parts = 1, schedule }: ScannedNodeOptions = {}) {
    this.#parties = Array.from({ length: parts * partiesInRequest }, (_, party) => hex(party));
    const partyOf = (account: number) => this.#parties[(account * 37) % this.#parties.length];
    const balances = times.map((time, account) =>
      changeAt(BigInt(time), { assetId: hex(account), partyId: partyOf(account) }),
    );
    this.#node = createFakeNode({ balances, block }, { rateLimit: false });
    this.#schedule = schedule;
  }

  scan({ start, end }: Range = {}, options: ScanOptions = {}): Scan<BalanceChange> {
    const client = createClient({ baseUrl, fetch: this.#fetch, pacing: false, retry: false });
    const filter = this.#parties.length > partiesInRequest ? { partyIds: this.#parties } : {};
    return client.scanBalanceChanges({ filter, dateRange: { startTimestamp: start, endTimestamp: end } }, options);
  }

  /** The records that a scan of a range has to yield. */
  recordsIn({ start = 0n, end = this.#node.block.timestamp }: Range = {}): BalanceChange[] {
    const isIn = ({ timestamp }: BalanceChange) => BigInt(timestamp) >= start && BigInt(timestamp) < end;
    return this.#node.records.balances.filter(isIn).sort(compareRecords);
  }

  get inFlight(): number {
    return this.#signals.size;
  }

  /** Whether there are requests in flight, and all of them were aborted. */
  get areAborted(): boolean {
    return this.inFlight > 0 && [...this.#signals].every(({ aborted }) => aborted);
  }

  readonly #fetch = async (request: Request): Promise<Response> => {
    const query = new URL(request.url).searchParams;
    const [start, end] = ["start", "end"].map((name) => {
      const time = query.get(`dateRange.${name}Timestamp`);
      return time === null ? undefined : BigInt(time);
    });
    const size = Number(query.get("pagination.first"));
    if (start === undefined && end === undefined && size === 1) return this.#node.fetch(request);
    this.requests.push({ start, end, size });
    this.#signals.add(request.signal);
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      await this.#schedule?.({ start, end });
      return await this.#node.fetch(request);
    } finally {
      this.#signals.delete(request.signal);
    }
  };
}
