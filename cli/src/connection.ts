import { readFile } from "node:fs/promises";
import { type Block, type ClientOptions, createClient, type ObserverEvent, type VegaClient } from "vegaprotocol-client";
import type { NodePool, NodePoolOptions } from "vegaprotocol-client/pool";
import { UsageError } from "./errors.js";
import type { NodeFlags } from "./flags.js";
import { createFetch, withScheme } from "./http.js";
import { type Io, printMessage } from "./io.js";

/** A client and the addresses of its nodes. */
export interface ConnectedClient {
  readonly client: VegaClient;
  readonly nodes: readonly string[];
}

/** Called with the responses of nodes. */
export interface ConnectionObserver {
  /** A node has responded, other than with an error. */
  onResponse(node: string, block: Block | undefined): void;
  /** A node has not responded. */
  onNoResponse(node: string, error: unknown): void;
}

/** Creates the client of the nodes that the flags or the environment name. */
export async function connect(io: Io, flags: NodeFlags, observer?: ConnectionObserver): Promise<ConnectedClient> {
  const nodes = readNodes(io, flags);
  const [node = ""] = nodes;
  const baseUrl = nodes.length > 1 ? await createPool(nodes) : node;
  return { client: await createClientOf(baseUrl, io, flags, { observer }), nodes };
}

/**
 * Creates the client of a pool, also of a single node.
 *
 * @param observe - Called with each event. Default: the events are printed with --verbose.
 */
export async function connectPool(
  io: Io,
  flags: NodeFlags,
  observe?: ClientOptions["observe"],
  options?: NodePoolOptions,
): Promise<{ client: VegaClient; pool: NodePool }> {
  const pool = await createPool(readNodes(io, flags), options);
  return { client: await createClientOf(pool, io, flags, { observe }), pool };
}

/** A command with one node does not load the pool. */
const createPool = async (nodes: readonly string[], options?: NodePoolOptions) =>
  (await import("vegaprotocol-client/pool")).nodePool(nodes, options);

/** The addresses of the nodes that the flags or the environment name. */
export function readNodes({ env }: Io, { node: entered = [] }: NodeFlags): readonly string[] {
  const variable = env["VEGA_NODE"] || env["VEGAPROTOCOL_NODE"] || "";
  const nodes = entered.length > 0 ? entered : variable.split(/[\s,]+/).filter(Boolean);
  if (nodes.length > 0) return nodes.map(withScheme);
  throw new UsageError(
    "Expected --node URL, the address of a data node, or the environment variable VEGA_NODE. " +
      "`vegaprotocol fake-node` starts one to try commands with.",
  );
}

interface Observers {
  readonly observer?: ConnectionObserver | undefined;
  readonly observe?: ClientOptions["observe"] | undefined;
}

async function createClientOf(
  baseUrl: ClientOptions["baseUrl"],
  io: Io,
  flags: NodeFlags,
  { observer, observe = flags.verbose ? logEvents(io) : undefined }: Observers,
): Promise<VegaClient> {
  const { timeout, retries, pacing, header = [], caFile } = flags;
  const headers = await readHeaders(header);
  const send = io.fetch ?? (await createFetch(io.env, caFile));
  return createClient({
    baseUrl,
    headers,
    pacing,
    timeout,
    retry: retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 },
    observe,
    fetch: !observer ? send : (request) => observed(send, observer, request),
  });
}

async function observed(
  send: (request: Request) => Promise<Response>,
  observer: ConnectionObserver,
  request: Request,
): Promise<Response> {
  const { origin } = new URL(request.url);
  try {
    const response = await send(request);
    if (response.ok) observer.onResponse(origin, readBlock(response));
    return response;
  } catch (error) {
    observer.onNoResponse(origin, error);
    throw error;
  }
}

/** The block that a response names. */
function readBlock({ headers }: Response): Block | undefined {
  const [height = "", timestamp = ""] = ["X-Block-Height", "X-Block-Timestamp"].map((name) => headers.get(name) ?? "");
  const isBlock = /^\d+$/.test(height) && /^\d+$/.test(timestamp);
  return isBlock ? { height: BigInt(height), timestamp: BigInt(timestamp) } : undefined;
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
    if (name !== undefined) return [[name, value]];
    // The value is not shown, because it may be a secret.
    throw new UsageError("Expected --header to be 'Name: value' or @FILE with such lines.");
  });
}

/** Prints what the client does, one line for each event. */
const logEvents =
  (io: Io) =>
  (event: ObserverEvent): void => {
    const node = event.node === undefined ? "" : ` on ${event.node}`;
    printMessage(io, `${event.operation}, attempt ${event.attempt}${node}: ${describeEvent(event)}`);
  };

function describeEvent(event: ObserverEvent): string {
  switch (event.type) {
    case "attempt":
      return `${event.method} ${event.url}`;
    case "response":
      return `${event.error?.message ?? `status ${event.status}`} after ${Math.round(event.duration)} ms`;
    case "retry":
      return `retried in ${Math.round(event.delay)} ms: ${event.error.message}`;
    case "pause":
      return `held back for ${Math.round(event.delay)} ms to stay within the rate limit`;
    case "failover":
      return `failed over from ${event.from} to ${event.to}: ${event.error?.message ?? event.cause}`;
    case "hedge":
      return `also sent to ${event.to} after ${Math.round(event.delay)} ms without a response from ${event.from}`;
  }
}
