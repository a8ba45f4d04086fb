import type { FakeNode } from "../../src/testing/index.js";

export const baseUrl = "https://node.example";

export { hex } from "./records.js";

/** Sends a request to a node without a client, and reads the response. */
export async function fetchFrom(node: FakeNode, path: string, init?: RequestInit) {
  const response = await node.fetch(`${baseUrl}${path}`, init);
  const text = await response.text();
  const body = text.startsWith("{") ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, text, body };
}

/** A page as it is sent. */
export interface RawPage<T> {
  edges: { cursor: string; node: T }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

/** The page of a list. */
export async function fetchPage<T>(node: FakeNode, path: string): Promise<RawPage<T>> {
  const { status, body, text } = await fetchFrom(node, path);
  if (status !== 200) throw new Error(`Expected a page from ${path}, got ${text}`);
  return Object.values(body)[0] as RawPage<T>;
}

/**
 * Follows the cursors of a list until there is no next page.
 *
 * @param path - With a query that has `pagination.first` or `pagination.last`.
 * @param most - The number of pages at which the walk ends.
 */
export async function walk<T>(node: FakeNode, path: string, most = 1000) {
  const backward = path.includes("pagination.last");
  const pages: T[][] = [];
  let cursor: string | undefined;
  while (pages.length < most) {
    const place =
      cursor === undefined ? "" : `&pagination.${backward ? "before" : "after"}=${encodeURIComponent(cursor)}`;
    const { edges, pageInfo } = await fetchPage<T>(node, path + place);
    pages.push(edges.map(({ node }) => node));
    if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) break;
    cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
  }
  return pages;
}

/** A transaction that a fake node accepts. */
export const transaction = {
  version: "TX_VERSION_V3",
  inputData: "CAEQh61L",
  pubKey: "ab".repeat(32),
  signature: { algo: "vega/ed25519", value: "0f".repeat(64), version: 1 },
  pow: { tid: "01".repeat(32), nonce: "1" },
};
