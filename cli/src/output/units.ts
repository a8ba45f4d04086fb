/** The units of amounts: decimal places and symbols, from flags, from a file, or from the node. */
import { readInput, UsageError } from "../errors.js";
import type { Flags } from "../flags.js";
import { type Io, printMessage } from "../io.js";
import type { ColumnKinds } from "../operations.js";
import { type Asset, assetOf, findAsset, needsAssets } from "../other-paths.js";
import { readColumns, type Units } from "./columns.js";

/**
 * Reads the units of amounts, and the id of the asset in `--asset`, which can be a symbol. Assets are listed only if
 * they are needed.
 *
 * @param isFormatted - Whether decimal places come from the node by default. `"if-listed"`: unless the node lists no
 * assets.
 * @returns the flags with an id in `asset`. `units` is `undefined` if all amounts stay in the smallest unit.
 */
export async function readUnits<Own extends Flags>(
  io: Io,
  flags: Own,
  kinds: ColumnKinds,
  list: () => Promise<readonly Asset[] | undefined>,
  isFormatted: boolean | "if-listed" = false,
): Promise<{ flags: Own; units: Units | undefined }> {
  const { asset, raw = false, decimals: entered = [], assets: files = [] } = flags;
  const numbers = readDecimals(entered);
  const inFiles = (await Promise.all(files.map(readAssetFile))).flat();
  const hasAmounts = Object.values(kinds).includes("amount");
  const isDefault = isFormatted !== false && hasAmounts && !raw && entered.length + files.length === 0;
  const isFromNode = entered.includes("node") || isDefault;
  const hasUnits = isFromNode || entered.length + files.length > 0;
  // A wrong column is found before a request is sent.
  readColumns(kinds, flags, hasUnits ? { decimalsOf: () => undefined, unitOf: () => "" } : undefined);
  const needsList = isFromNode || [asset, ...numbers.keys()].some((each) => needsAssets(each, inFiles));
  const listed = needsList ? await list() : [];
  const isUnlisted = isDefault && isFormatted === "if-listed" && listed === undefined;
  if (isUnlisted && !flags.quiet) {
    printMessage(
      io,
      "Amounts are in the smallest unit: the node does not list assets. Add --decimals ASSET=N, or --assets FILE.",
    );
  }
  const known = [...inFiles, ...(listed ?? [])];
  // Amounts of votes have the symbol VEGA if no assets are listed.
  const idOf = (symbol: string) => (known.length > 0 ? findAsset("--decimals", symbol, known) : symbol);
  const decimals = new Map([...numbers].map(([symbol, count]) => [idOf(symbol).toLowerCase(), count]));
  const shown = known.filter(({ id }, index) => isFromNode || index < inFiles.length || decimals.has(id));
  const resolved = asset === undefined ? flags : { ...flags, asset: findAsset("--asset", asset, known) };
  return { flags: resolved, units: hasUnits && !isUnlisted ? unitsOf(io, flags, decimals, shown) : undefined };
}

function readDecimals(entered: readonly string[]): Map<string, number> {
  const byAsset = new Map<string, number>();
  for (const text of entered) {
    if (text === "node") continue;
    const [, asset = "", decimals] = /^([^=]+)=(\d+)$/.exec(text) ?? [];
    if (decimals === undefined || Number(decimals) > 255) {
      throw new UsageError(`Expected --decimals to be node, or ASSET=N with an N from 0 to 255, got "${text}".`);
    }
    byAsset.set(asset, Number(decimals));
  }
  return byAsset;
}

function unitsOf(io: Io, flags: Flags, byAsset: ReadonlyMap<string, number>, assets: readonly Asset[]): Units {
  const known = new Map(assets.map((asset) => [asset.id, asset]));
  const unknown = new Set<unknown>();
  const knownDecimals = (id: string) => byAsset.get(id) ?? known.get(id)?.decimals;
  // Votes have amounts of the governance token alone. Anybody can propose another asset with its symbol.
  const named = assets.flatMap(({ id, symbol }) => (symbol === "VEGA" ? id : []));
  const isClear = new Set(named.map(knownDecimals)).size === 1;
  const governance = (isClear && named[0]) || "VEGA";
  return {
    decimalsOf({ assetId = governance }) {
      const decimals = knownDecimals(String(assetId).toLowerCase());
      if (decimals === undefined && !unknown.has(assetId) && !flags.quiet) {
        const reason = `Amounts of asset ${assetId} are in the smallest unit: its decimal places are not known.`;
        printMessage(io, `${reason} Add --decimals ${assetId}=N, or --assets FILE.`);
      }
      if (decimals === undefined) unknown.add(assetId);
      return decimals;
    },
    unitOf(assetId) {
      const id = assetId.toLowerCase();
      return knownDecimals(id) === undefined ? "smallest unit" : known.get(id)?.symbol || "units";
    },
  };
}

async function readAssetFile(file: string): Promise<Asset[]> {
  const text = await readInput(file, "--assets assets.json");
  try {
    const parsed = JSON.parse(text);
    // A response of a node, or the records that `vegaprotocol get` writes.
    const nodes = Array.isArray(parsed) ? parsed : parsed.assets.edges.map((edge: { node: unknown }) => edge.node);
    const assets: (Asset | undefined)[] = nodes.map(assetOf);
    if (assets.every((asset) => asset !== undefined)) return assets;
  } catch {
    // The same error as for other JSON.
  }
  throw new UsageError(
    `Expected --assets to be the JSON of a node's /api/v2/assets, got "${file}". Create it with: vegaprotocol get /api/v2/assets -o ${file}`,
  );
}
