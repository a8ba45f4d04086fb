import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { FakeNodeData } from "../../src/testing/index.js";

/** A request to a real node, and its response. */
export interface Recording {
  case?: string;
  method: string;
  path: string;
  requestHeaders?: Record<string, string>;
  body?: string;
  /** The beginning and the length of a body that is too long to be recorded. */
  bodyStart?: string;
  bodyLength?: number;
  status: number;
  headers: [name: string, value: string][];
  bodyText?: string;
  /** Whether the page depends on the database's order of votes of one block. */
  ties?: boolean;
  /** For the rate limit: when the request was sent, in milliseconds. */
  atMs?: number;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = resolve(root, process.env["VEGA_TAPE"] ?? "../shared/reference/tape");

/** The folders of the recorded responses by the version of the node; they lie next to each other. */
const folders = { "v0.74": folder, "v0.79": join(folder, "../tape-v0.79") } as const;

/** Whether the recorded responses are there; `VEGA_TAPE` is the folder of the v0.74 recordings. */
export const hasTape = existsSync(folder);
if (!hasTape && process.env["VEGA_TAPE"] !== undefined) {
  throw new Error(`Expected VEGA_TAPE to be a folder of recorded responses, got ${folder}, which does not exist.`);
}
if (!hasTape)
  console.warn(`Tests against recorded responses are skipped: there is no ${folder}. VEGA_TAPE names another.`);

/** Whether the recorded responses of a v0.79 node are there. It has the same records as the v0.74 node. */
export const hasTapeOfNewer = hasTape && existsSync(folders["v0.79"]);
if (hasTape && !hasTapeOfNewer)
  console.warn(`Tests against recorded responses of v0.79 are skipped: there is no ${folders["v0.79"]}.`);

const read = (name: string, version: keyof typeof folders = "v0.74") =>
  readFileSync(join(folders[version], name), "utf8");

export const recordings = (name: string, version?: keyof typeof folders): Recording[] =>
  read(`${name}.ndjson`, version)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

export const limits = (): { sequence: Recording[]; ban: Recording[] } => JSON.parse(read("limits.json"));

interface World {
  votes: (Extract<FakeNodeData["votes"], readonly unknown[]>[number] & { cursorTime: string })[];
  profiles: (Extract<FakeNodeData["profiles"], readonly unknown[]>[number] & Record<string, unknown>)[];
  balances: (Extract<FakeNodeData["balances"], readonly unknown[]>[number] & { accountId: string })[];
  signatures: (Extract<FakeNodeData["signatures"], readonly unknown[]>[number] & { blockTime: string })[];
  begunBlock: { height: string; time: string };
}

/** What the recorded node held, without the facts that the wire does not show; they are the oracle of other tests. */
export function worldData(): FakeNodeData {
  const { votes, profiles, balances, signatures, begunBlock }: World = JSON.parse(read("world.json"));
  return {
    votes: votes.map(({ cursorTime: _, ...vote }) => vote),
    profiles: profiles.map(({ partyId, alias, metadata }) => ({ partyId, alias, metadata })),
    balances: balances.map(({ accountId: _, ...change }) => change),
    signatures: signatures.map(({ blockTime: _, ...signature }) => signature),
    block: { height: BigInt(begunBlock.height), timestamp: BigInt(begunBlock.time) },
  };
}
