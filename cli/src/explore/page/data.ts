/** Reads from the server of the page: the gateway, and the paths below `/explore`. */
import { useEffect, useState } from "preact/hooks";
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

type Load<T> = (path: string, signal: AbortSignal) => Promise<Loaded<T>>;

type Failure = { code?: number; message?: string; details?: { availableFrom?: string }[] };

const noServer = "The server of this page does not respond.";

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

/** All records of a list, by cursors of the gateway, which lead to each once. */
export async function loadAll<T>(path: string, signal: AbortSignal): Promise<Loaded<readonly T[]>> {
  const all: T[] = [];
  for (let after = ""; ; ) {
    const next = after && `&pagination.after=${encodeURIComponent(after)}`;
    const { data, ...others } = await load<Record<string, Connection<T>>>(
      `${path}&pagination.first=${largestPage}${next}`,
      signal,
    );
    const [page] = Object.values(data ?? {});
    if (page === undefined) return others;
    for (const { node } of page.edges) all.push(node);
    if (!page.pageInfo.hasNextPage) return { ...others, data: all };
    after = page.pageInfo.endCursor;
  }
}

/** The data at a path. A new `version` loads it again; the previous data stays until then. */
export function useData<T>(path: string | undefined, version: unknown = 0, read: Load<T> = load): Loaded<T> {
  const [state, setState] = useState<{ path: string; loaded: Loaded<T> }>();
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    // After an error, the data before it stays.
    const set = (next: Loaded<T>) =>
      signal.aborted ||
      setState((last) => ({
        path,
        loaded: next.error && last?.path === path ? { ...last.loaded, error: next.error } : next,
      }));
    read(path, signal).then(set, () => set({ error: noServer }));
    return () => controller.abort();
  }, [path, version, read]);
  return state !== undefined && state.path === path ? state.loaded : {};
}

/** Whether records come in as they are made. */
export interface Live {
  /** Another one for new records. */
  readonly version: number;
  /** Up to when every record was seen, in Unix nanoseconds. */
  readonly upTo?: string;
  readonly stopped?: string;
}

export function useLive({ isCopy }: Source, query: string): Live {
  const [live, setLive] = useState<Live>({ version: 0 });
  useEffect(() => {
    if (isCopy) return setLive({ version: 0, stopped: "This is a local copy." });
    let refresh: ReturnType<typeof setTimeout> | undefined;
    const source = new EventSource(`/explore/events${query}`);
    source.onmessage = ({ data }) => {
      const { records, upTo } = JSON.parse(data);
      setLive(({ version }) => ({ version, upTo }));
      if (records === 0 || refresh !== undefined) return;
      refresh = setTimeout(() => {
        refresh = undefined;
        setLive((last) => ({ ...last, version: last.version + 1 }));
      }, 3000);
    };
    source.addEventListener("stopped", ({ data: stopped }) => setLive((last) => ({ ...last, stopped })));
    // The browser connects again.
    source.onerror = () => setLive((last) => ({ stopped: noServer, ...last }));
    return () => {
      source.close();
      clearTimeout(refresh);
    };
  }, [isCopy, query]);
  return live;
}
