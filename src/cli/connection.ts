import { readFile } from "node:fs/promises";
import { createClient, type VegaClient } from "../client/client.js";
import type { ClientOptions } from "../client/client-options.js";
import type { NodePool } from "../client/node-pool.js";
import { type Block, readBlock } from "../http/block.js";
import type { NodePoolOptions } from "../pool/index.js";
import type { CommandContext } from "./command.js";
import { UsageError } from "./exit.js";
import { refuseFlag } from "./flag-values.js";
import { withScheme } from "./http/address.js";
import { createFetch } from "./http/fetch.js";
import { logEvents } from "./verbose.js";

/** A client and what it has learned of its nodes. */
export interface ConnectedClient {
  readonly client: VegaClient;
  /** The addresses of the nodes. */
  readonly nodes: readonly string[];
  /** The blocks that the first and the last response named. */
  readonly blocks: { first?: Block; last?: Block };
}

/** Called with the responses of nodes. */
export interface ConnectionObserver {
  /** A node has responded, other than with an error. */
  onResponse(node: string, block: Block | undefined): void;
  /** A node has not responded. */
  onNoResponse(node: string, error: unknown): void;
}

/** Creates the client of the nodes that the flags or the environment name. */
export async function connect(context: CommandContext, observer?: ConnectionObserver): Promise<ConnectedClient> {
  const nodes = readNodes(context);
  const [node = ""] = nodes;
  const blocks: ConnectedClient["blocks"] = {};
  const baseUrl = nodes.length > 1 ? await createPool(nodes) : node;
  return { client: await createClientOf(baseUrl, blocks, context, observer), nodes, blocks };
}

/**
 * Creates the client of a pool, also of a single node.
 *
 * @param observe - Called with each event. Default: the events are printed with --verbose.
 */
export async function connectPool(
  context: CommandContext,
  observe?: ClientOptions["observe"],
  options?: NodePoolOptions,
): Promise<{ client: VegaClient; pool: NodePool }> {
  const pool = await createPool(readNodes(context), options);
  return { client: await createClientOf(pool, {}, context, undefined, observe), pool };
}

/** A command with one node does not load the pool. */
const createPool = async (nodes: readonly string[], options?: NodePoolOptions) =>
  (await import("../pool/index.js")).nodePool(nodes, options);

/** The addresses of the nodes that the flags or the environment name. */
export function readNodes({ io, values }: CommandContext): readonly string[] {
  const entered = values.all("node");
  const variable = io.env["VEGA_NODE"] || io.env["VEGAPROTOCOL_NODE"] || "";
  const nodes = entered.length > 0 ? entered : variable.split(/[\s,]+/).filter(Boolean);
  if (nodes.length > 0 && !nodes.includes("")) return nodes.map(withScheme);
  throw new UsageError("Expected --node URL, the address of a data node, or the environment variable VEGA_NODE.");
}

async function createClientOf(
  baseUrl: string | NodePool,
  blocks: ConnectedClient["blocks"],
  context: CommandContext,
  observer?: ConnectionObserver,
  observe = context.values.has("verbose") ? logEvents(context.io) : undefined,
) {
  const { values } = context;
  const { headers, fetch } = await createSender(context);
  const retries = values.integer("retries", { minimum: 0 });
  return createClient({
    baseUrl,
    headers,
    pacing: !values.has("no-pacing"),
    timeout: values.duration("timeout"),
    retry: retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 },
    observe,
    fetch: async (request) => {
      const { origin } = new URL(request.url);
      const response = await fetch(request).catch((error: unknown) => {
        observer?.onNoResponse(origin, error);
        throw error;
      });
      const block = readBlock(response);
      if (response.ok) observer?.onResponse(origin, block);
      if (block) Object.assign(blocks, { first: blocks.first ?? block, last: block });
      return response;
    },
  });
}

/** The headers of all requests, and what sends them. */
export async function createSender(context: CommandContext) {
  const headers = await readHeaders(context.values.all("header"));
  return { headers, fetch: await createFetch(context, headers) };
}

/** Reads `Name: value`, or `@FILE` with one of them on each line, which keeps secrets out of lists of processes. */
async function readHeaders(entered: readonly string[]): Promise<[string, string][]> {
  const lines = await Promise.all(
    entered.map(async (each) =>
      each.startsWith("@") ? (await readFile(each.slice(1), "utf8")).split(/\r?\n/) : [each],
    ),
  );
  return lines.flat().flatMap((line): [string, string][] => {
    if (line.trim() === "") return [];
    const [, name, value = ""] = /^([^:\s]+):\s*(.*?)\s*$/.exec(line) ?? [];
    // The value is not shown, because it may be a secret.
    return name === undefined
      ? refuseFlag("header", "'Name: value' or @FILE with such lines", "other text")
      : [[name, value]];
  });
}
