/**
 * A local copy as a client, so that reports and the gateway read it as they read nodes. The copy is opened for each
 * request: a sync can write to it meanwhile.
 */
import {
  type BalanceChange,
  type BalanceChangesFilter,
  type Coverage,
  type PageContent,
  PaginationError,
  paginate,
  type ScanBalanceChangesArguments,
  type ScanOptions,
  toNanoseconds,
  type VegaClient,
} from "vegaprotocol-client";
import type { NodePool, NodeStatus } from "vegaprotocol-client/pool";
import { canonicalIds } from "../arguments.js";
import { IncompleteError, NoCopyError } from "../errors.js";
import { Rejection } from "../serve/errors.js";
import { formatTime, latest } from "../times.js";
import { type Destination, hidePassword, type SyncList } from "./destination.js";
import { openDestination } from "./open.js";
import { allOf } from "./rows.js";

type Query = Readonly<Record<string, object | undefined>>;
type Signal = { readonly signal?: AbortSignal | undefined };

const neverAborted = new AbortController().signal;
/** Blocks of a copy have no heights. */
const blockAt = (timestamp: bigint) => ({ height: 0n, timestamp });

/** @param node - Serves requests that a copy cannot: spam statistics, checks, and paths of `http`. */
export function createCopy(name: string, schema: string | undefined, node?: VegaClient) {
  const shown = hidePassword(name);

  /** Yields records or ranges from the copy, which stays open until the end. */
  async function* readFrom<T>(
    signal: AbortSignal,
    read: (stored: Destination) => AsyncIterable<T> | Promise<Iterable<T>>,
  ) {
    const stored = await openDestination(name, "read", signal, { schema });
    try {
      yield* await read(stored);
    } catch (error) {
      throw stored.describe(error);
    } finally {
      await stored.close();
    }
  }

  async function checkpointsOf(stored: Destination, list: SyncList, isWanted: (query: Query) => boolean) {
    const found = (await stored.checkpoints()).filter((each) => each.list === list && isWanted(each.query as Query));
    if (found.length > 0) return found.map(({ checkpoint }) => checkpoint);
    const advice = `run vegaprotocol sync ${shown} ${list} with these filters.`;
    throw new NoCopyError(`${shown} does not have these ${list}: ${advice}`);
  }

  /**
   * The range of the copy that has the accounts of a filter, and reaches furthest back of those that reach a time.
   *
   * @param end - Default: the latest time that one of them reaches.
   */
  async function rangeOf(stored: Destination, filter: BalanceChangesFilter, end?: bigint) {
    const found = await checkpointsOf(stored, "balances", (query) => covers(query["filter"] ?? {}, filter));
    const wanted = end ?? latest(0n, ...found.map(({ position }) => position));
    const [range] = found.filter(({ position }) => position >= wanted).sort((a, b) => (a.start < b.start ? -1 : 1));
    if (range) return { start: range.start, end: wanted, position: range.position };
    throw new IncompleteError(`${shown} has no balance changes up to ${formatTime(wanted - 1n)} yet. Run sync again.`);
  }

  function scanBalanceChanges(
    query: ScanBalanceChangesArguments = {},
    { order = "oldest-first", maxItems = Number.POSITIVE_INFINITY, signal = neverAborted }: ScanOptions = {},
  ) {
    const filter = canonicalIds(query.filter ?? {});
    const { startTimestamp, endTimestamp } = query.dateRange ?? {};
    const from = startTimestamp === undefined ? undefined : toNanoseconds(startTimestamp);
    const until = endTimestamp === undefined ? undefined : toNanoseconds(endTimestamp);
    let coverage: Coverage | undefined;
    const records = () =>
      readFrom(signal, async function* (stored) {
        const range = await rangeOf(stored, filter, until);
        if (from !== undefined && from < range.start) {
          const message = `The copy begins at ${formatTime(range.start)}.`;
          throw new PaginationError(message, { reason: "pruned", availableFrom: range.start });
        }
        const wanted = { start: from ?? range.start, end: range.end };
        coverage = { ...wanted, block: blockAt(range.position) };
        let count = 0;
        for await (const change of stored.read(filter, wanted, order === "newest-first")) {
          yield change;
          if (++count >= maxItems) return;
        }
      });
    return {
      [Symbol.asyncIterator]: records,
      async toArray() {
        const all: BalanceChange[] = [];
        for await (const change of records()) all.push(change);
        return all;
      },
      /** As of the records that were read. */
      get coverage() {
        return Promise.resolve(coverage);
      },
    };
  }

  async function listBalanceChanges({ filter = {} }: { filter?: BalanceChangesFilter }, { signal }: Signal = {}) {
    const ranges = readFrom(signal ?? neverAborted, async (stored) => [await rangeOf(stored, canonicalIds(filter))]);
    for await (const { position } of ranges) return { block: blockAt(position) };
    return {};
  }

  /** A list of the copy as one page, which the gateway treats like the first page of a node. */
  const listOf =
    (list: Exclude<SyncList, "balances">) =>
    (argument: object, { signal }: Signal = {}) => {
      const { pagination: _, ...query } = canonicalIds(argument) as Readonly<Record<string, unknown>>;
      const { parties: partyId = query["partyId"], ...ids } = query;
      const readPage = async (_: object, pageSignal: AbortSignal) => {
        const edges: { node: object; cursor: string }[] = [];
        const records = readFrom(pageSignal, async function* (stored) {
          // Profiles have no checkpoint.
          if (list !== "profiles") await checkpointsOf(stored, list, (own) => covers(own, query));
          yield* allOf(stored, list, { ...ids, partyId });
        });
        for await (const node of records) edges.push({ node, cursor: "" });
        return { edges, pageInfo: { hasNextPage: false } } as object as PageContent<object>;
      };
      return paginate(readPage, {}, { signal });
    };

  const missing = new Rejection(12, "A local copy does not have this: add --node URL.");
  const refuse = () => Promise.reject(missing);
  async function readPath(path: string) {
    if (path !== "/api/v2/assets") return { error: missing.body, response: new Response(null, { status: 501 }) };
    const edges: object[] = [];
    for await (const asset of readFrom(neverAborted, (stored) => allOf(stored, "assets"))) {
      const { id, decimals, ...others } = asset;
      edges.push({ node: { id, details: { ...others, decimals: `${decimals}` } } });
    }
    return { data: { assets: { edges, pageInfo: { hasNextPage: false } } }, response: new Response() };
  }
  const members = {
    isCopy: true,
    scanBalanceChanges,
    listBalanceChanges,
    listVotes: listOf("votes"),
    listPartiesProfiles: listOf("profiles"),
    listNodeSignatures: listOf("signatures"),
    getSpamStatistics: node?.getSpamStatistics ?? (() => ({ withResponse: refuse })),
    http: node?.http ?? { GET: readPath, POST: refuse },
  };
  /** The lists of the copy, with the times between which they are complete, in Unix nanoseconds. */
  async function describe(signal: AbortSignal) {
    const stored: { list: SyncList; query: object; start?: string; position?: string }[] = [];
    for await (const { list, query, checkpoint } of readFrom(signal, (copy) => copy.checkpoints())) {
      // Some lists have no times.
      const { start, position } = checkpoint;
      const range = { ...(start > 0n && { start: `${start}` }), ...(position > 0n && { position: `${position}` }) };
      stored.push({ list, query, ...range });
    }
    return stored;
  }
  const status = [{ url: "file:///", state: "ready" } as NodeStatus];
  const pool: Pick<NodePool, "check" | "status"> = { status, check: async () => status };
  // Callers use no other members.
  return { client: members as object as VegaClient, pool, describe };
}

const covers = (stored: object, wanted: object): boolean =>
  Object.entries(stored).every(([name, values]) => {
    const own: unknown = wanted[name as keyof typeof wanted];
    return own !== undefined && [own].flat().every((value) => [values].flat().includes(value));
  });
