/** Reads from the server of the page: the gateway, and the paths below `/explore`. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { operations } from "vegaprotocol-client/operations";

/** Where the records of the page come from. */
export interface Source {
  readonly isCopy: boolean;
  readonly names: readonly string[];
  /** Whether the records go back to the first block of the network. */
  readonly completeHistory: boolean;
  /** The lists of a copy, with the Unix nanoseconds between which they are complete. */
  readonly stored?: readonly {
    readonly list: string;
    readonly query: { readonly proposalId?: string; readonly filter?: object };
    readonly start?: string;
    readonly position?: string;
  }[];
  readonly proposals: readonly string[];
  /** The governance tokens that exist, in the smallest unit, if that is known. */
  readonly totalSupply?: string | undefined;
}

/** A response, with the time of the block that it is from. */
export interface Loaded<T> {
  readonly data?: T;
  readonly block?: bigint | undefined;
  /** The time from which on records are complete, if that is after the requested start. */
  readonly completeFrom?: string | undefined;
  readonly error?: string;
}

type Failure = { code?: number; message?: string; details?: { availableFrom?: string }[] };

/** @param completeFrom - The start of the records, if the path begins there instead of at the requested start. */
export async function load<T>(path: string, signal: AbortSignal, completeFrom?: string): Promise<Loaded<T>> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(path, { signal });
    if (response.ok) {
      const block = response.headers.get("X-Block-Timestamp");
      return { data: await response.json(), block: block ? BigInt(block) : undefined, completeFrom };
    }
    const { code, message, details }: Failure = await response.json().catch(() => ({}));
    const start = details?.[0]?.availableFrom;
    // The records begin later: the rest is shown, with the time from which it is complete.
    if (code === 11 && start && start !== completeFrom && /[?&]from=/.test(path)) {
      return load(path.replace(/([?&]from=)[^&]*/, `$1${start}`), signal, start);
    }
    const wait = Number(response.headers.get("Retry-After"));
    if (!(wait > 0 && wait <= 5 && tries < 4)) {
      return { error: message ?? `The server responded with status ${response.status}.`, completeFrom };
    }
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}

/** The type alone is imported: the page does not have the table of operations. */
const largestPage: (typeof operations)["listVotes"]["defaultPageSize"] = 5000;

type Connection<T> = { edges: { node: T }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
type Lists<T = unknown> = Record<string, Connection<T>>;

/** All records of a list, by the cursors of the gateway. */
export async function loadAll<T>(path: string, signal: AbortSignal): Promise<Loaded<readonly T[]>> {
  const all: T[] = [];
  for (let after = ""; ; ) {
    const next = after && `&pagination.after=${encodeURIComponent(after)}`;
    const { data, ...others } = await load<Lists<T>>(`${path}&pagination.first=${largestPage}${next}`, signal);
    const [page] = Object.values(data ?? {});
    if (page === undefined) return others;
    for (const { node } of page.edges) all.push(node);
    if (!page.pageInfo.hasNextPage) return { ...others, data: all };
    after = page.pageInfo.endCursor;
  }
}

/** After how many milliseconds the page looks for new records, and tries again after an error. */
const interval = 5000;

/** The path without its start: a period that ends now begins a little later with each block. */
const subjectOf = (path: string) => path.replace(/(?<=[?&]from=)\d+/, "");

/** The data at a path. A new `version` loads it again; the previous data stays until then. `null` loads nothing. */
export function useData<T>(
  path: string | undefined,
  version: unknown = 0,
  read: (path: string, signal: AbortSignal) => Promise<Loaded<T>> = load,
  isPolled = false,
): Loaded<T> {
  const [state, setState] = useState<{ subject: string; loaded: Loaded<T> }>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (path === undefined || version === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readLater = () => {
      // A page in the background waits.
      timer = setTimeout(() => (document.hidden ? readLater() : setAttempt((last) => last + 1)), interval);
    };
    const set = (next: Loaded<T>) => {
      if (signal.aborted) return;
      if (isPolled || next.error) readLater();
      const subject = subjectOf(path);
      // After an error, the data before it stays.
      setState((last) => ({
        subject,
        loaded: next.error && last?.subject === subject ? { ...last.loaded, error: next.error } : next,
      }));
    };
    read(path, signal).then(set, () => set({ error: "The server of this page does not respond." }));
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [path, version, attempt, read, isPolled]);
  return state !== undefined && path !== undefined && state.subject === subjectOf(path) ? state.loaded : {};
}

/** Whether the page shows the newest records. */
export interface Live {
  /** Changes with each new record; `null` before it is known. */
  readonly version: string | null;
  /** The time of the node's block, in Unix nanoseconds. */
  readonly upTo?: bigint | undefined;
  readonly stopped?: string | undefined;
}

/** The data at a path, which is read every few seconds. */
export const usePolled = <T>(path: string | undefined): Loaded<T> => useData<T>(path, 0, load, true);

/** @param list - The path of the list whose newest record shows whether there are new ones. */
export function useLive({ isCopy }: Source, list: string): Live {
  const { data, block, error } = usePolled<Lists>(isCopy ? undefined : `${list}pagination.first=1`);
  const since = useRef({ block, at: Date.now() });
  if (since.current.block !== block) since.current = { block, at: Date.now() };
  if (isCopy) return { version: "", stopped: "This is a local copy." };
  const [page] = Object.values(data ?? {});
  const isStalled = Date.now() - since.current.at > 60_000;
  const stopped = error ?? (isStalled ? "There has been no new block for a minute." : undefined);
  return { version: page ? JSON.stringify(page.edges) : error ? "" : null, upTo: block, stopped };
}
