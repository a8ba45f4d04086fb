/** Paths of nodes that the description does not have, such as the assets and the thresholds of a proposal. */
import { type PageContent, paginate, type VegaClient } from "vegaprotocol-client";
import { NodeError, NoProposalError, UsageError } from "./errors.js";
import { isAsset } from "./explore/page/text.js";
import { isWholeId } from "./flags.js";

interface PathResponse {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

export const getPath = (client: VegaClient, path: string, options: object): Promise<PathResponse> =>
  (client.http.GET as unknown as (path: string, options: object) => Promise<PathResponse>)(path, options);

/** A data node adds details to an error; an error of a path that it does not have has none. */
export function isUnknownPath({ error, response }: PathResponse): boolean {
  const { details } = (error ?? {}) as { details?: unknown[] | null };
  return response.status === 404 && !details?.length;
}

/** Returns `undefined` if the node does not have the path: core nodes and proxies have fewer, or forbid them. */
async function get(client: VegaClient, path: string, query: object, signal: AbortSignal) {
  const result = await getPath(client, path, { params: { query }, signal });
  const { status, ok } = result.response;
  const isUnknown = status === 403 || status === 501 || isUnknownPath(result);
  if (!ok && status !== 404 && !isUnknown) throw new NodeError(path, status);
  return isUnknown ? undefined : result;
}

export interface Asset {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

interface AssetNode {
  readonly id: string;
  readonly details?: { readonly symbol?: string; readonly name?: string; readonly decimals?: string } | null;
}

export function assetOf({ id, details }: AssetNode): Asset | undefined {
  if (typeof id !== "string" || !isAsset(details)) return undefined;
  const { symbol = "", name = "", decimals } = details;
  return { id: id.toLowerCase(), symbol, name, decimals: Number(decimals) };
}

/** Whether a value is a page of a list, and tells whether another one follows. */
export function isPage<T>(value: unknown): value is PageContent<T> {
  const { edges, pageInfo } = Object(value);
  return Array.isArray(edges) && (pageInfo === null || typeof Object(pageInfo).hasNextPage === "boolean");
}

export async function listAssets(client: VegaClient, signal?: AbortSignal): Promise<readonly Asset[] | undefined> {
  let isThere = true;
  const nodes = paginate<AssetNode>(
    async ({ first, after }, pageSignal) => {
      const query = { "pagination.first": first, "pagination.after": after };
      const found = await get(client, "/api/v2/assets", query, pageSignal);
      const { assets } = (found?.data ?? {}) as { assets?: unknown };
      if (isPage<AssetNode>(assets)) return assets;
      isThere = false;
      return { edges: [], pageInfo: null };
    },
    {},
    { signal },
  );
  const assets = (await nodes.toArray()).flatMap((node) => assetOf(node) ?? []);
  return isThere ? assets : undefined;
}

const withSymbol = (text: string, assets: readonly Asset[]) =>
  assets.filter(({ symbol }) => symbol.toLowerCase() === text.toLowerCase());

export const needsAssets = (entered: string | undefined, known: readonly Asset[] = []): boolean =>
  entered !== undefined && !/^[\da-f]{64}$/i.test(entered) && withSymbol(entered, known).length === 0;

/** The id of the asset with a symbol. Ids are returned unchanged, also names that nodes know. */
export function findAsset(option: string, entered: string, assets: readonly Asset[]): string {
  const ids = [...new Set(withSymbol(entered, assets).map(({ id }) => id))];
  if (ids.length > 1) throw new UsageError(`Several assets have the symbol ${entered}: use the id, one of ${ids}.`);
  if (ids[0] !== undefined || isWholeId(entered)) return ids[0] ?? entered;
  if (assets.length === 0) {
    const advice = `Pass the id${option.startsWith("--") ? ", or --assets FILE" : ""}.`;
    throw new UsageError(
      `Expected ${option} to be an id, got "${entered}": no assets are listed here, so their symbols are unknown. ${advice}`,
    );
  }
  const symbols = assets.map(({ symbol }) => symbol).join(", ");
  throw new UsageError(`Expected ${option} to be an id or a symbol, got "${entered}". The symbols are ${symbols}.`);
}

/** A proposal with its thresholds, as decimal numbers from 0 to 1. */
export interface Proposal {
  readonly state?: string;
  readonly requiredMajority?: string;
  readonly requiredParticipation?: string;
  readonly requiredLiquidityProviderMajority?: string;
  readonly requiredLiquidityProviderParticipation?: string;
  readonly terms?: object | null;
}

/** Reads a proposal, or the proposal of a batch that changes a market. Returns `undefined` if nodes lack the path. */
export async function requireProposal(client: VegaClient, proposalId: string, signal: AbortSignal, market?: string) {
  const found = await get(client, "/api/v2/governance", { proposalId }, signal);
  if (found?.response.status === 404) throw new NoProposalError(`There is no proposal ${proposalId}.`);
  const { data } = (found?.data ?? {}) as {
    data?: { proposal?: Proposal | null; proposals?: Proposal[] | null } | null;
  };
  const ofMarket = data?.proposals?.find(({ terms }) => market && JSON.stringify(terms ?? {}).includes(`"${market}"`));
  return ofMarket ?? data?.proposal ?? undefined;
}
