/** Compares the records of several nodes, and tells nodes that are wrong from nodes that keep less or lag. */
import { createHash } from "node:crypto";
import { group } from "d3-array";
import { PaginationError, type ScanOptions, type VegaClient, type Vote } from "vegaprotocol-client";
import { IncompleteError } from "./errors.js";
import { idOf } from "./operations.js";
import { historyStart, readWhole, scanPageSize } from "./records.js";
import type { SyncList, TimeRange } from "./sync/destination.js";
import { byKey, byTime, keysOf, type Row, type Rows, rowOf, sharesOf } from "./sync/rows.js";
import { earliest, latest } from "./times.js";

export type AuditedList = Exclude<SyncList, "assets">;

/** A node, and the range of its balance changes, from `start` to `end`, in Unix nanoseconds. */
export interface AuditedNode {
  readonly url: string;
  readonly client: VegaClient;
  /** The time of its oldest balance change; `undefined` if it has none. It rises when the node drops records. */
  start: bigint | undefined;
  /** 0 if it has no block. */
  readonly end: bigint;
  readonly isUnresponsive?: true;
}

export interface Audit extends Pick<ScanOptions, "pageSize"> {
  readonly nodes: readonly AuditedNode[];
  readonly signal: AbortSignal;
}

interface NodeDigest {
  readonly url: string;
  /** `later`: its history begins after the start of the part; `behind`: it has not reached the end of the part. */
  readonly state: "equal" | "different" | "later" | "behind" | "unresponsive";
  readonly records: number;
  /** The SHA-256 of its records, a line each. */
  readonly digest: string;
}

/** A day of balance changes, or another list. */
export interface AuditedPart {
  readonly list: AuditedList;
  readonly part: string;
  readonly nodes: readonly NodeDigest[];
  /** The first record that differs, with the nodes that have each value; `null` is a missing record. */
  readonly first: Difference | undefined;
}

interface Difference {
  readonly key: Row;
  readonly values: readonly { readonly value: Row | null; readonly urls: string[] }[];
}

/** A record in the form that nodes of all versions have in common. */
function commonRow(list: AuditedList, record: object): Row {
  if (list !== "votes") return rowOf(list, record);
  return [...rowOf(list, record).slice(0, -1), sharesOf(record as Vote)?.join() ?? null];
}

function createComparison(list: AuditedList, nodes: readonly AuditedNode[]) {
  const all = nodes.map((node) => ({ node, hash: createHash("sha256"), records: 0, isWrong: false }));
  let first: Difference | undefined;
  return {
    hasDifference: () => first !== undefined,
    add(rowsByUrl: ReadonlyMap<string, Rows>): void {
      for (const key of keysOf(rowsByUrl.values())) {
        const able = all.filter(({ node }) => rowsByUrl.has(node.url));
        const values = able.map((own) => ({ own, value: rowsByUrl.get(own.node.url)?.get(key) ?? null }));
        // Versions that do not send a member cannot differ in it.
        const isSent = (_: unknown, column: number) => values.every(({ value }) => value?.[column] !== null);
        for (const { own, value } of values) {
          if (value === null) continue;
          own.hash.update(`${JSON.stringify(value)}\n`);
          own.records++;
        }
        const groups = [...group(values, ({ value }) => JSON.stringify(value?.filter(isSent) ?? null)).values()];
        if (groups.length < 2) continue;
        // The majority is assumed to be right. If only two nodes differ, either can be wrong.
        const [right = [], other = [], ...rest] = [...groups].sort((a, b) => b.length - a.length);
        const wrong = right.length > other.length ? [other, ...rest] : groups;
        for (const { own } of wrong.flat()) own.isWrong = true;
        first ??= {
          key: JSON.parse(key),
          values: groups.map((each) => ({ value: each[0]?.value ?? null, urls: each.map(({ own }) => own.node.url) })),
        };
      }
    },
    end(part: string, stateOf: (node: AuditedNode) => NodeDigest["state"]): AuditedPart {
      const found = all.map(({ node, hash, records, isWrong }): NodeDigest => {
        const ownState = node.isUnresponsive ? "unresponsive" : stateOf(node);
        return { url: node.url, state: isWrong ? "different" : ownState, records, digest: hash.digest("hex") };
      });
      return { list, part, nodes: found, first };
    },
  };
}

export async function blockTime(client: VegaClient, signal: AbortSignal): Promise<bigint> {
  const { block } = await client.listBalanceChanges({ pagination: { first: 1 } }, { signal });
  return block?.timestamp ?? 0n;
}

async function notePruning({ nodes, signal }: Audit): Promise<boolean> {
  let isPruned = false;
  for (const node of nodes) {
    if (node.start === undefined) continue;
    const start = await historyStart(node.client, signal);
    if (start !== undefined && start <= node.start) continue;
    node.start = start;
    isPruned = true;
  }
  return isPruned;
}

/** Compares the balance changes of a range, each node within the range that it keeps and has reached. */
export async function auditBalances(audit: Audit, part: string, range: TimeRange): Promise<AuditedPart> {
  for (;;) {
    const comparison = createComparison("balances", audit.nodes);
    const failure = await compareBalances(audit, range, comparison).catch((error: unknown) =>
      PaginationError.is(error) ? error : Promise.reject(error),
    );
    // A node that drops records while they are read is not wrong.
    if ((failure || comparison.hasDifference()) && (await notePruning(audit))) continue;
    if (failure) throw failure;
    return comparison.end(part, ({ start, end }) => {
      if (end < range.end) return "behind";
      return start === undefined || start > range.start ? "later" : "equal";
    });
  }
}

async function compareBalances(audit: Audit, range: TimeRange, comparison: ReturnType<typeof createComparison>) {
  const { nodes, pageSize = scanPageSize, signal } = audit;
  const readers = nodes.flatMap(({ url, client, ...node }) => {
    if (node.start === undefined) return [];
    const [start, end] = [latest(node.start, range.start), earliest(node.end, range.end)];
    if (start >= end) return [];
    const dateRange = { startTimestamp: start, endTimestamp: end };
    const options = { missingHistory: "ignore", pageSize, signal } as const;
    return { url, start, end, records: client.scanBalanceChanges({ dateRange }, options) };
  });
  for await (const { time, rows } of byTime(readers.map(({ records }) => records))) {
    const able = readers.flatMap(({ url, start, end }, index) =>
      start <= time && time < end ? [[url, rows[index] ?? new Map()] as const] : [],
    );
    comparison.add(new Map(able));
  }
}

/**
 * Compares a list that nodes keep whole, and whose records can change. Differences are read again once each node has
 * passed all blocks of the first reading: a record that did not change, and differs, is wrong.
 */
export async function auditList({ nodes, signal }: Audit, list: AuditedList, part: string, query: object) {
  const read = async (from: readonly AuditedNode[]): Promise<Map<string, Rows>> => {
    const readings = from.map(async ({ url, client }) => {
      const { records, gap } = await readWhole(client, idOf(list), query, { signal });
      const advice = `They cannot be compared. Leave out --${list}.`;
      if (gap) throw new IncompleteError(`${url}: ${gap.message} ${advice}`);
      const rows = records.map((record) => commonRow(list, record));
      return [url, byKey(list, rows)] as const;
    });
    return new Map(await Promise.all(readings));
  };
  let able = nodes.filter(({ end }) => end > 0n);
  const early = await read(able);
  let comparison = createComparison(list, nodes);
  comparison.add(early);
  if (comparison.hasDifference()) {
    able = await passed(able, signal);
    const late = await read(able);
    for (const [url, rows] of late)
      for (const key of new Set([...rows.keys(), ...(early.get(url)?.keys() ?? [])])) {
        if (JSON.stringify(rows.get(key)) === JSON.stringify(early.get(url)?.get(key))) continue;
        for (const each of late.values()) each.delete(key);
      }
    comparison = createComparison(list, nodes);
    comparison.add(late);
  }
  return comparison.end(part, (node) => (able.includes(node) ? "equal" : "behind"));
}

/** Waits until nodes have passed the newest block of all, and returns those that have. */
async function passed(nodes: readonly AuditedNode[], signal: AbortSignal): Promise<AuditedNode[]> {
  const times = await Promise.all(nodes.map(({ client }) => blockTime(client, signal)));
  const startTimestamp = latest(0n, ...times);
  const dateRange = { startTimestamp, endTimestamp: startTimestamp + 1000n };
  const arrivals = nodes.map(async (node) => {
    try {
      await node.client.scanBalanceChanges({ dateRange }, { missingHistory: "ignore", signal }).toArray();
      return [node];
    } catch (error) {
      if (PaginationError.is(error) && error.reason === "behind") return [];
      throw error;
    }
  });
  return (await Promise.all(arrivals)).flat();
}
