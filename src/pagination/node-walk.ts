import type { Pagination } from "../../generated/types.js";
import type { Target } from "../http/context.js";
import type { UnreliableCursors } from "./continuation.js";
import type { Page } from "./listing.js";
import type { Edge, PageContent } from "./page.js";

/** What the page of a node has beside its content. */
export type NodeExtra = Pick<Page<unknown>, "block" | "response" | "stale">;

/** A page as a node sent it. */
export type NodePage<T> = PageContent<T> & { extra: NodeExtra };

/** Fetches one page from a node that fits. */
export type FetchFrom<T> = (pagination: Pagination, signal: AbortSignal, target?: Target) => Promise<NodePage<T>>;

/** What a client of several nodes has to know of a list. */
export interface NodeRules<T> {
  operation: string;
  /** The members that identify a record. */
  naturalKey: readonly (keyof T)[];
  cursors?: UnreliableCursors<T> | undefined;
  /** The parameter with the start of the range, if the list is one whose old records nodes drop. */
  range: { start: string } | undefined;
  query: Readonly<Record<string, unknown>>;
}

/** Keeps the pages of a walk on one node. */
export type KeepNode = <T>(
  fetchFrom: FetchFrom<T>,
  rules: NodeRules<T>,
) => (pagination: Pagination, signal: AbortSignal, previous?: readonly Edge<T>[]) => Promise<NodePage<T>>;
