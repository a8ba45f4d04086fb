import { EventEmitter } from "node:events";
import { createGateway } from "../../../cli/src/serve/app.js";
import { type BalanceChange, type Coverage, PaginationError, VegaError } from "../../../src/index.js";
import { readVotes } from "./read-votes.js";
import { type AnyPage, type Pages, readWalk } from "./read-walk.js";
import type { VotesReader, WalkReader } from "./readers.js";
import type { Reading } from "./reading.js";
import { inScanOrder } from "./records.js";

type Gateway = ReturnType<typeof createGateway>;

/** The pages of a loop over the responses of `serve`, which continues with the cursor of each page. */
async function* servedPages<T>(
  gateway: Gateway,
  envelope: string,
  path: string,
  parameters: readonly [name: string, value: string][],
  pagination: object,
  ranges: ServedRange[] = [],
): AsyncGenerator<AnyPage<T>> {
  for (let place = pagination; ; ) {
    const pages = Object.entries(place).map(([name, value]): [string, string] => [`pagination.${name}`, String(value)]);
    const query = new URLSearchParams([...parameters, ...pages]);
    const outgoing = new EventEmitter();
    const connection = { incoming: { socket: {}, complete: true }, outgoing };
    const response = await gateway.request(`${path}?${query}`, {}, connection as never);
    outgoing.emit("close");
    const body: unknown = await response.json();
    if (response.status !== 200) throw servedError(response.status, body as ServedError, place);
    const { edges, pageInfo } = (body as Record<string, ServedList<T>>)[envelope] as ServedList<T>;
    const { coverage } = body as { coverage?: ServedRange };
    if (coverage) ranges.push(coverage);
    const time = response.headers.get("X-Block-Timestamp");
    yield { nodes: edges.map(({ node }) => node), block: time === null ? undefined : { timestamp: BigInt(time) } };
    const isBackward = "last" in pagination;
    if (!(isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return;
    place = { ...pagination, ...(isBackward ? { before: pageInfo.startCursor } : { after: pageInfo.endCursor }) };
  }
}

interface ServedList<T> {
  edges: { node: T }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

interface ServedRange {
  startTimestamp: string;
  endTimestamp?: string;
}

interface ServedError {
  message: string;
  details?: { reason?: PaginationError["reason"]; availableFrom?: string }[];
}

/** The same pages, with the range of time for which all of them are complete. */
function coveredPages<T>(pages: (ranges: ServedRange[]) => AsyncIterable<AnyPage<T>>, isDescending: boolean): Pages<T> {
  const ranges: ServedRange[] = [];
  const coverage = (): Coverage | undefined => {
    const [oldest, newest] = [ranges.at(isDescending ? -1 : 0), ranges.at(isDescending ? 0 : -1)];
    const end = newest?.endTimestamp === undefined ? undefined : BigInt(newest.endTimestamp);
    return oldest && { start: BigInt(oldest.startTimestamp), end, block: undefined };
  };
  return {
    coverage: () => {
      const read = coverage();
      return read && Promise.resolve(read);
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* pages(ranges);
      } catch (error) {
        throw Object.assign(error as VegaError, { coverage: coverage() });
      }
    },
  };
}

/** The error of a loop: it continues with the request that has failed. */
function servedError(status: number, { message, details: [detail] = [] }: ServedError, resume: object): VegaError {
  const { reason, availableFrom } = detail ?? {};
  const error =
    reason === undefined
      ? new VegaError(`${status} ${message}`)
      : new PaginationError(message, {
          reason,
          availableFrom: availableFrom === undefined ? undefined : BigInt(availableFrom),
        });
  return Object.assign(error, { resume });
}

export async function readServed(spec: WalkReader | VotesReader, reading: Reading): Promise<void> {
  const { world } = reading;
  world.hasOtherClock = true;
  const client = world.client();
  const now = () => world.clock.now();
  const { signal } = new AbortController();
  const gateway = createGateway({
    client,
    pool: { check: async () => [], status: [] },
    now,
    signal,
    closing: signal,
    origins: [],
    trustsProxy: false,
    log: () => {},
  });
  if (spec.kind === "votes") {
    const parameters = Object.entries(spec.query);
    return readVotes(spec, reading, (pages) => servedPages(gateway, "votes", "/api/v2/votes", parameters, pages));
  }
  const { partyIds = [], accountTypes = [] } = spec.filter;
  const filters = [
    ...partyIds.map((id): [string, string] => ["filter.partyIds", id]),
    ...accountTypes.map((type): [string, string] => ["filter.accountTypes", String(type)]),
  ];
  const list = (pages: object, { start, end }: { start?: bigint | undefined; end?: bigint | undefined }) => {
    const times: [string, string][] = [];
    if (start !== undefined) times.push(["dateRange.startTimestamp", String(start)]);
    if (end !== undefined) times.push(["dateRange.endTimestamp", String(end)]);
    const parameters = [...filters, ...times];
    return coveredPages<BalanceChange>(
      (ranges) => servedPages(gateway, "balances", "/api/v2/balance/changes", parameters, pages, ranges),
      spec.newestFirst !== spec.isBackward,
    );
  };
  return readWalk(spec, reading, list, inScanOrder);
}
