import { EventEmitter } from "node:events";
import { createGateway } from "../../../cli/src/serve/app.js";
import { type Coverage, PaginationError, VegaError } from "../../../src/index.js";
import type { RawPage } from "../raw-requests.js";
import { type Items, isDescending } from "./read-list.js";
import { readLists } from "./read-lists.js";
import type { Reader } from "./readers.js";
import type { Reading } from "./reading.js";

type Gateway = ReturnType<typeof createGateway>;

interface ServedRange {
  startTimestamp: string;
  endTimestamp?: string;
}

/** A loop has all votes before the block of its first page, which is unknown without headers. */
interface Loop {
  block?: bigint | undefined;
}

/** A loop over the responses of `serve`, which continues with the cursor of each page. */
function servedItems(gateway: Gateway, reader: Reader, { dateRange, pagination = {} }: Given, loop: Loop): Items {
  const { list, filter, isBackward } = reader.query;
  const path = list === "votes" ? "/api/v2/votes" : "/api/v2/balance/changes";
  const parameters = Object.entries({ ...filter, dateRange }).flatMap(([name, value]) => parametersOf(name, value));
  const ranges: ServedRange[] = [];
  const coverage = (): Coverage | undefined => {
    if (list === "votes")
      return loop.block === undefined ? undefined : { start: 0n, end: loop.block, block: undefined };
    const isDown = isDescending(reader.query);
    const [oldest, newest] = [ranges.at(isDown ? -1 : 0), ranges.at(isDown ? 0 : -1)];
    const end = newest?.endTimestamp === undefined ? undefined : BigInt(newest.endTimestamp);
    if (!isDown) return oldest && { start: BigInt(oldest.startTimestamp), end, block: undefined };
    // A page can tell of a hole before it.
    let start: bigint | undefined;
    for (const { startTimestamp, endTimestamp } of ranges) {
      if (start !== undefined && endTimestamp !== undefined && BigInt(endTimestamp) < start) break;
      start = BigInt(startTimestamp);
    }
    return start === undefined ? undefined : { start, end, block: undefined };
  };
  const read = async function* () {
    for (let place = pagination; ; ) {
      const query = new URLSearchParams([...parameters, ...parametersOf("pagination", place)]);
      const outgoing = new EventEmitter();
      const connection = { incoming: { socket: {}, complete: true }, outgoing };
      const response = await gateway.request(`${path}?${query}`, {}, connection as never);
      outgoing.emit("close");
      const body: unknown = await response.json();
      if (response.status !== 200) {
        const error = servedError(response.status, body as ServedError);
        // Pages of votes before the last one claim nothing.
        const covered = list === "votes" ? undefined : coverage();
        throw Object.assign(error, { resume: { pagination: place }, coverage: covered });
      }
      const { coverage: range, ...lists } = body as { coverage?: ServedRange } & Record<string, RawPage<object>>;
      if (range) ranges.push(range);
      const [{ edges, pageInfo }] = Object.values(lists) as [RawPage<object>];
      const time = response.headers.get("X-Block-Timestamp");
      if (!("before" in place || "after" in place)) loop.block = time === null ? undefined : BigInt(time);
      yield* (isBackward ? [...edges].reverse() : edges).map(({ node }) => node);
      if (!(isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return;
      place = { ...pagination, ...(isBackward ? { before: pageInfo.startCursor } : { after: pageInfo.endCursor }) };
    }
  };
  return {
    [Symbol.asyncIterator]: read,
    get coverage() {
      return Promise.resolve(coverage());
    },
  };
}

interface Given {
  dateRange?: object;
  pagination?: object;
}

/** The parameters of a URL: arrays are repeated, and members have dotted names. */
function parametersOf(name: string, value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((each) => parametersOf(name, each));
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([member, each]) => parametersOf(`${name}.${member}`, each));
}

interface ServedError {
  message: string;
  details?: { reason?: PaginationError["reason"]; availableFrom?: string }[];
}

function servedError(status: number, { message, details = [] }: ServedError): VegaError {
  const { reason, availableFrom } = details[0] ?? {};
  const from = availableFrom === undefined ? undefined : BigInt(availableFrom);
  if (reason) return new PaginationError(message, { reason, availableFrom: from });
  return new VegaError(`${status} ${message}`);
}

export async function readServed(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  world.hasOtherClock = true;
  const { signal } = new AbortController();
  const gateway = createGateway({
    client: reading.client,
    pool: { check: async () => [], status: [] },
    now: () => world.clock.now(),
    signal,
    closing: signal,
    origins: [],
    trustsProxy: false,
    log: () => {},
  });
  const loop: Loop = {};
  await readLists(reader, reading, (given) => {
    const { query } = reader;
    const pagination = { ...(given as Given).pagination, [query.isBackward ? "last" : "first"]: reading.sizeOf(query) };
    return servedItems(gateway, reader, { ...given, pagination }, loop);
  });
}
