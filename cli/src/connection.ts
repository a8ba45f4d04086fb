import { type ClientOptions, createClient, type ObserverEvent, type VegaClient } from "vegaprotocol-client";
import { type NodePool, type NodePoolOptions, nodePool } from "vegaprotocol-client/pool";
import { readConfig } from "./config.js";
import { readInput, UsageError } from "./errors.js";
import type { Flags } from "./flags.js";
import { createFetch, withScheme } from "./http.js";
import { type Io, printMessage } from "./io.js";

export interface ConnectOptions extends Pick<NodePoolOptions, "maxLag"> {
  /** Called with each event. Default: the events are printed with --verbose. */
  readonly observe?: ClientOptions["observe"];
  /** Called with each event as well. */
  readonly metrics?: { observe(event: ObserverEvent): void };
}

export async function connect(
  io: Io,
  flags: Omit<Flags, "format">,
  { maxLag, observe: print = flags.verbose ? logEvents(io) : undefined, metrics }: ConnectOptions = {},
): Promise<{ client: VegaClient; pool: NodePool; nodes: readonly string[] }> {
  const nodes = await readNodes(io, flags);
  const pool = nodePool(nodes, { maxLag });
  const { timeout, retries, pacing } = flags;
  const headers = await readHeaders(flags.header ?? []);
  const retry = retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 };
  const observers = [metrics?.observe, print].filter((each) => each !== undefined);
  const observe = (event: ObserverEvent) => {
    for (const each of observers) each(event);
  };
  const fetch = io.fetch ?? (await createFetch(io.env));
  const options = { baseUrl: pool, headers, pacing, timeout, retry, fetch, ...(observers.length > 0 && { observe }) };
  return { client: createClient(options), pool, nodes };
}

async function readNodes(io: Io, { node: entered = [] }: Pick<Flags, "node">): Promise<readonly string[]> {
  const { env } = io;
  const { nodes: named = {} } = await readConfig(io);
  const nodes = entered.length > 0 ? entered : (env["VEGA_NODE"] ?? "").split(/[\s,]+/).filter(Boolean);
  if (nodes.length > 0)
    return nodes.flatMap((node) => [named[node] ?? node].flat()).map((url) => withScheme(String(url)));
  throw new UsageError(
    "Expected --node URL, the address of a data node, or the environment variable VEGA_NODE. " +
      "`vegaprotocol fake-node` starts one to try commands with.",
  );
}

/** Reads `Name: value`, or `@FILE` with one of them on each line, which keeps secrets out of lists of processes. */
async function readHeaders(entered: readonly string[]): Promise<[string, string][]> {
  const lines = await Promise.all(
    entered.map(async (each) =>
      each.startsWith("@") ? (await readInput(each.slice(1), "--header @headers.txt")).split(/\r?\n/) : [each],
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
