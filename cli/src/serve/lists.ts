/**
 * Lists that are read as a whole. Pages of many callers are cut from one reading: a loop takes three requests for 5000
 * records.
 *
 * Cursors of the client are not used: only the ends of its pages have one, and callers continue from any record, in
 * either direction. After a proposal has closed, the cursor of its votes contains all that were read of one block, up
 * to 5000, too many for a URL, and each node has its own order of them. Nodes refuse every cursor of profiles.
 */
import type { Block, VegaClient } from "vegaprotocol-client";
import { type ListId, listOperation } from "../operations.js";
import type { WireRecord } from "../output/columns.js";
import { openList, readWhole, timeIn } from "../records.js";
import { earliest, latest } from "../times.js";
import type { Cursor } from "./cursors.js";
import { Rejection } from "./errors.js";

export interface PlacedRecord {
  readonly node: WireRecord;
  readonly place: Cursor["place"];
}

/** The response that a page is from, as far as it is known. */
export interface Source {
  readonly block?: Block | undefined;
  readonly stale?: boolean;
  readonly response?: Response;
}

export interface SortedList {
  /** With the lowest place first. */
  readonly records: readonly PlacedRecord[];
  /** Whether there are no older records. */
  readonly isWhole: boolean;
  readonly source: Source;
  /** The earliest and the latest block of its responses, in Unix nanoseconds; 0 without block headers. */
  readonly earliest: bigint;
  readonly latest: bigint;
}

interface SharedReading {
  /** The number of the newest request when it began: it is fresh for requests up to that one. */
  readonly sentAt: number;
  readonly list: Promise<SortedList>;
  readonly controller: AbortController;
  result?: SortedList;
  waiting: number;
}

const mostKept = 50_000;

export const timeOf = ({ place }: Pick<PlacedRecord, "place">): bigint => BigInt(place[0] ?? 0);

/** Less than 0 if the first place is before the second one, with the oldest record first. */
export function comparePlaces(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((text, each) => text !== b[each]);
  return index < 0 ? 0 : (a[index] ?? "") < (b[index] ?? "") ? -1 : 1;
}

/** Adds the places of records: their times, and the members that sort records of one time, as a scan does. */
export function withPlaces(id: ListId, records: readonly object[]): PlacedRecord[] {
  const { naturalKey, cursors } = listOperation(id);
  const names = (cursors?.missingMember?.sha256Of ?? naturalKey).map(String).filter((name) => name !== "timestamp");
  return (records as WireRecord[]).map((node) => {
    const time = String(node["timestamp"] ?? "").padStart(20, "0");
    return { node, place: [time, ...names.map((name) => String(node[name] ?? ""))] };
  });
}

export function createLists(client: VegaClient) {
  const readings = new Map<string, SharedReading>();
  let requests = 0;

  /** Sorted, records that move while pages are requested are at their time, on every node. */
  async function readSorted(id: ListId, query: object, signal: AbortSignal, node?: string): Promise<SortedList> {
    const { records, gap, pages } = await readWhole(client, id, query, { signal, node });
    if (gap) throw new Rejection(15, `${gap.message} Request some of them by parties.`);
    const times = pages.map(({ block }) => block?.timestamp);
    const placed = withPlaces(id, records).sort((a, b) => comparePlaces(a.place, b.place));
    return {
      records: placed,
      isWhole: true,
      source: pages[0] ?? {},
      earliest: earliest(...times) ?? 0n,
      latest: latest(0n, ...times),
    };
  }

  function start(key: string, id: ListId, query: object): SharedReading {
    const controller = new AbortController();
    const list = readSorted(id, query, controller.signal);
    const reading: SharedReading = { sentAt: requests, list, controller, waiting: 0 };
    readings.delete(key);
    readings.set(key, reading);
    list.then(
      (result) => {
        reading.result = result;
        keepWithin(mostKept);
      },
      () => readings.get(key) === reading && readings.delete(key),
    );
    return reading;
  }

  function keepWithin(most: number): void {
    const kept = [...readings].filter(([, { result }]) => result).reverse();
    let count = 0;
    for (const [key, { result }] of kept) {
      // The last one stays: it would be read again for each of its pages.
      if (count > 0 && count + (result?.records.length ?? 0) > most) readings.delete(key);
      count += result?.records.length ?? 0;
    }
  }

  return {
    /** The last reading of the list, if it is kept. */
    kept: (id: ListId, query: object): SortedList | undefined => readings.get(JSON.stringify([id, query]))?.result,
    /** Numbers a request. Readings that begin later are fresh for it. */
    arrive: (): number => ++requests,
    /**
     * The newest records of a list whose nodes sort it by the block in which a record was written last, such as votes:
     * those that are newer than the blocks of all others. `undefined` for other lists.
     */
    async readNewest(id: ListId, query: object, count: number, signal: AbortSignal): Promise<SortedList | undefined> {
      const { timeMember } = listOperation(id).cursors ?? {};
      if (timeMember === undefined) return undefined;
      const pagination = { first: count, newestFirst: true };
      const page = await openList(client, id, { ...query, pagination }, { signal });
      const { nodes, edges, pageInfo, block } = page;
      const bound = pageInfo?.hasNextPage ? timeIn(edges.at(-1)?.cursor ?? "", timeMember) : -1n;
      const placed = withPlaces(id, nodes).filter((record) => bound !== undefined && timeOf(record) > bound);
      placed.sort((a, b) => comparePlaces(a.place, b.place));
      const time = block?.timestamp ?? 0n;
      return { records: placed, isWhole: bound === -1n, source: page, earliest: time, latest: time };
    },
    /**
     * Reads a list, or takes the result of a reading that was sent after the request arrived.
     *
     * @param minBlock - The block that the reading must not be before, in Unix nanoseconds.
     * @param node - The node to read it from if another one is before that block.
     */
    async read(
      { id, query, arrival, minBlock }: { id: ListId; query: object; arrival: number; minBlock: bigint },
      signal: AbortSignal,
      nodeAt: (time: bigint) => string | undefined,
    ): Promise<SortedList> {
      const key = JSON.stringify([id, query]);
      const kept = readings.get(key);
      const isFresh = kept && kept.sentAt >= arrival && !kept.controller.signal.aborted;
      const list = await join(isFresh ? kept : start(key, id, query), signal);
      if (list.earliest >= minBlock) return list;
      const other = await readSorted(id, query, signal, nodeAt(minBlock));
      if (other.earliest >= minBlock) return other;
      throw new Rejection(14, "No node has reached the block of the pages before.");
    },
  };
}

/** Waits for a reading, which ends when no request waits for it any longer. */
function join(reading: SharedReading, signal: AbortSignal): Promise<SortedList> {
  reading.waiting++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason);
      if (--reading.waiting === 0) reading.controller.abort(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    reading.list.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
