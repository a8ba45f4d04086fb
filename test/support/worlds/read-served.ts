import { EventEmitter } from "node:events";
import { createGateway } from "../../../cli/src/serve/app.js";
import { type BalanceChange, type Coverage, PaginationError, VegaError } from "../../../src/index.js";
import { readVotes } from "./read-votes.js";
import { type AnyPage, type Pages, readWalk } from "./read-walk.js";
import type { Range, Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { inScanOrder } from "./records.js";

type Gateway = ReturnType<typeof createGateway>;

interface ServedRange {
  startTimestamp: string;
  endTimestamp?: string;
}

interface ServedList<T> {
  edges: { node: T }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

/** The pages of a loop over the responses of `serve`, which continues with the cursor of each page. */
async function* servedPages<T>(
  gateway: Gateway,
  path: string,
  parameters: readonly [name: string, value: unknown][],
  pagination: object,
  ranges: ServedRange[] = [],
): AsyncGenerator<AnyPage<T>> {
  for (let place = pagination; ; ) {
    const pages = Object.entries(place).map(([name, value]) => [`pagination.${name}`, value] as const);
    const known = [...parameters, ...pages].filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(known.map(([name, value]) => [name, String(value)]));
    const outgoing = new EventEmitter();
    const connection = { incoming: { socket: {}, complete: true }, outgoing };
    const response = await gateway.request(`${path}?${query}`, {}, connection as never);
    outgoing.emit("close");
    const body: unknown = await response.json();
    if (response.status !== 200) throw servedError(response.status, body as ServedError, place);
    const { coverage, ...lists } = body as { coverage?: ServedRange } & Record<string, ServedList<T>>;
    if (coverage) ranges.push(coverage);
    const [{ edges, pageInfo }] = Object.values(lists) as [ServedList<T>];
    const time = response.headers.get("X-Block-Timestamp");
    yield { nodes: edges.map(({ node }) => node), block: time === null ? undefined : { timestamp: BigInt(time) } };
    const isBackward = "last" in pagination;
    if (!(isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return;
    place = { ...pagination, ...(isBackward ? { before: pageInfo.startCursor } : { after: pageInfo.endCursor }) };
  }
}

interface ServedError {
  message: string;
  details?: { reason?: PaginationError["reason"]; availableFrom?: string }[];
}

/** The error of a loop: it continues with the request that has failed. */
function servedError(status: number, { message, details = [] }: ServedError, resume: object): VegaError {
  const { reason, availableFrom } = details[0] ?? {};
  const from = availableFrom === undefined ? undefined : BigInt(availableFrom);
  const error = reason
    ? new PaginationError(message, { reason, availableFrom: from })
    : new VegaError(`${status} ${message}`);
  return Object.assign(error, { resume });
}

/** The same pages, with the range of time for which all of them are complete. */
function coveredPages<T>(pages: (ranges: ServedRange[]) => AsyncIterable<AnyPage<T>>, isDescending: boolean): Pages<T> {
  const ranges: ServedRange[] = [];
  const coverageOf = (): Coverage | undefined => {
    const [oldest, newest] = [ranges.at(isDescending ? -1 : 0), ranges.at(isDescending ? 0 : -1)];
    const end = newest?.endTimestamp === undefined ? undefined : BigInt(newest.endTimestamp);
    return oldest && { start: BigInt(oldest.startTimestamp), end, block: undefined };
  };
  const read = async function* () {
    try {
      yield* pages(ranges);
    } catch (error) {
      throw Object.assign(error as VegaError, { coverage: coverageOf() });
    }
  };
  return Object.assign(read(), { coverage: async () => coverageOf() });
}

export async function readServed(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  world.hasOtherClock = true;
  const { signal } = new AbortController();
  const gateway = createGateway({
    client: world.client(),
    pool: { check: async () => [], status: [] },
    now: () => world.clock.now(),
    signal,
    closing: signal,
    origins: [],
    trustsProxy: false,
    log: () => {},
  });
  if (reader.serves === "votes") {
    const parameters = Object.entries(reader.query);
    return readVotes(reader, reading, (pages) => servedPages(gateway, "/api/v2/votes", parameters, pages));
  }
  const { partyIds = [], accountTypes = [] } = reader.filter;
  const list = (pages: object, { start, end }: Range) => {
    const parameters: [string, unknown][] = [
      ...partyIds.map((id): [string, unknown] => ["filter.partyIds", id]),
      ...accountTypes.map((type): [string, unknown] => ["filter.accountTypes", type]),
      ["dateRange.startTimestamp", start],
      ["dateRange.endTimestamp", end],
    ];
    const read = (ranges: ServedRange[]) =>
      servedPages<BalanceChange>(gateway, "/api/v2/balance/changes", parameters, pages, ranges);
    return coveredPages(read, reader.newestFirst !== reader.isBackward);
  };
  return readWalk(reader, reading, list, inScanOrder);
}
