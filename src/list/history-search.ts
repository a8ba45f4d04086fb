/**
 * Searches for the records that show what nodes keep: witnesses up to the start of a range, of the list itself or of
 * others, and the oldest record after it.
 */
import type { CheckedArguments } from "../arguments/read-arguments.js";
import { type KnownRecord, unlessMissing } from "../http/expectation.js";
import { dimensions } from "./filters.js";
import { type Edge, type NodePage, type ReadPage, timeOf } from "./page.js";
import { type ListReaderOptions, pageReader } from "./reader.js";

/** A record that is not after the start, and how to read a list that has it and all of the requested one. */
export interface Witness<T> {
  time: bigint;
  read: ReadPage<T>;
}

/** How many records up to a start are searched for a witness. */
const searchedRecords = 100;

export function searchesOf<T>(options: ListReaderOptions<T>, filters: CheckedArguments, read: ReadPage<T>) {
  const { isPool } = options.connection;
  const { filter = {} } = filters as { filter?: Record<string, readonly string[] | undefined> };
  const isWhole = !Object.values(filter).some((value) => value !== undefined);
  const readWhole = isWhole ? read : pageReader(options, {});
  /** Behind one address, nodes that keep less can respond in turns. */
  const searches = isPool ? [findOwn, findOthers] : [findOwn, findOthers, findOthers];
  /** The witnesses found so far, by start. */
  const found = new Map<bigint, readonly Witness<T>[]>();

  /** An empty page without block headers can come from a node that has no block yet. */
  const expectationOf = (time: bigint) => ({ historyFrom: isPool ? time : undefined, needsBlock: true });

  /** The newest records up to a time, on newer nodes within a year; `undefined` if no node with a block responds. */
  function newestUpTo(read: ReadPage<T>, time: bigint, first: number, signal: AbortSignal) {
    const request = { pagination: { first, newestFirst: true }, end: time + 1n };
    // A pool asks the other nodes if one has nothing.
    return unlessMissing(read(request, expectationOf(time), signal));
  }

  /** `known` is the time of a later record: behind one address, a node without records can send the last response. */
  async function oldestAfter(time: bigint, signal: AbortSignal, known?: bigint): Promise<bigint | undefined> {
    const pagination = { first: 1, newestFirst: false };
    const expectation = expectationOf(time);
    for (let start: bigint | undefined = time; start !== undefined; ) {
      const page: NodePage<T> | undefined = await unlessMissing(readWhole({ pagination, start }, expectation, signal));
      const oldest = timeOf(page?.edges[0]);
      if (oldest !== undefined) return oldest > time ? oldest : undefined;
      start = page?.window?.end;
    }
    return known;
  }

  /** The oldest record, if nodes have none up to a start. */
  async function oldestIfNoneUpTo(start: bigint, signal: AbortSignal, known?: bigint): Promise<bigint | undefined> {
    for (let time: bigint | undefined = start; time !== undefined; ) {
      const page: NodePage<T> | undefined = await newestUpTo(readWhole, time, 1, signal);
      if (page?.edges.length !== 0) return undefined;
      time = page.window?.start;
    }
    return oldestAfter(start, signal, known);
  }

  /** Finds records up to a start: the newest one of the list, or some of others. */
  async function find(start: bigint, signal: AbortSignal): Promise<readonly Witness<T>[]> {
    const known = found.get(start);
    if (known) return known;
    for (const search of searches) {
      const witnesses = await search(start, signal);
      if (witnesses.length === 0) continue;
      found.set(start, witnesses);
      return witnesses;
    }
    return [];
  }

  async function findOwn(start: bigint, signal: AbortSignal): Promise<readonly Witness<T>[]> {
    const own = (await newestUpTo(read, start, 1, signal))?.edges[0];
    return own ? [{ time: timeOf(own) ?? 0n, read }] : [];
  }

  /** Without a party, market or account type in the filter, there are no others: the list itself is searched again. */
  async function findOthers(start: bigint, signal: AbortSignal): Promise<readonly Witness<T>[]> {
    const given = dimensions.filter(([name]) => filter[name]?.length);
    if (given.length === 0) return findOwn(start, signal);
    for (const dimension of given) {
      const others = await findOthersOf(dimension, start, signal);
      if (others.length > 0) return others;
    }
    return [];
  }

  /** Finds two others with a record shortly before the start: the one with the fewest records, and the nearest. */
  async function findOthersOf(
    [name, member]: (typeof dimensions)[number],
    start: bigint,
    signal: AbortSignal,
  ): Promise<readonly Witness<T>[]> {
    const { [name]: wanted = [], ...rest } = filter;
    const { rejectedNames } = options.operation;
    const rejected = rejectedNames?.member === member ? rejectedNames.names : [];
    const read = pageReader(options, { ...filters, filter: rest });
    const page = await newestUpTo(read, start, searchedRecords, signal);
    const times = new Map<string, bigint[]>();
    for (const edge of page?.edges ?? []) {
      const value = (edge.node as KnownRecord)[member];
      if (typeof value !== "string" || value === "" || rejected.includes(value)) continue;
      times.set(value, [...(times.get(value) ?? []), timeOf(edge) ?? 0n]);
    }
    const quietFirst = [...times].sort(([, a], [, b]) => a.length - b.length);
    const chosen = new Map([...quietFirst.slice(0, 1), ...[...times].slice(0, 1), ...quietFirst]);
    return [...chosen].slice(0, 2).map(([value, [time = 0n]]) => ({
      time,
      read: pageReader(options, { ...filters, filter: { ...filter, [name]: [...wanted, value] } }),
    }));
  }

  const isOwn = ({ node }: Edge<T>): boolean =>
    dimensions.every(([name, member]) => {
      const values = filter[name];
      return !values?.length || values.includes(String((node as KnownRecord)[member]));
    });

  /** The newest record of the list up to a start, and two of others. */
  async function* witnessesOf(start: bigint, signal: AbortSignal): AsyncGenerator<Witness<T>> {
    const witnesses = await find(start, signal);
    yield* witnesses;
    if (witnesses[0]?.read === read) yield* await findOthers(start, signal);
  }

  return { findAgain: isWhole ? find : findOthers, witnessesOf, isOwn, oldestIfNoneUpTo, oldestAfter };
}
