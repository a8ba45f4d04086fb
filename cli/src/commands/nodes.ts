import { setTimeout as sleep } from "node:timers/promises";
import type { VegaClient } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import type { Definition } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes } from "../errors.js";
import * as flag from "../flags.js";
import { type Io, isTerminal, printMessage, write } from "../io.js";
import type { ColumnKind } from "../operations.js";
import { getPath } from "../other-paths.js";
import { readColumns } from "../output/columns.js";
import { readTarget } from "../output/file.js";
import { createEncoder, encode, formatOf, printText } from "../output/print.js";
import { describeDuration } from "../times.js";

/** The columns that a narrow terminal has room for come first. */
const columnKinds: Readonly<Record<string, ColumnKind>> = {
  url: "exact",
  state: "exact",
  historyStart: "time",
  blockAge: "amount",
  lag: "amount",
  latency: "amount",
  rateLimit: "amount",
  version: "exact",
  height: "amount",
  blockTime: "time",
  error: "text",
};

interface Flags extends flag.Flags {
  readonly watch?: number;
}

const look = { title: "Nodes" };
const watch = "Check the nodes again every TIME, until it is interrupted.";

export const nodesCommand: Definition<Flags> = {
  name: "nodes",
  summary: "Show the state of each node.",
  details:
    "Prints the age of each node's last block, its lag behind the other nodes and its latency, all in milliseconds, and its rate " +
    "limit in requests per second. historyStart is the time of the oldest balance change that it returns. The exit code is 1 if no " +
    `node responds.\n\nThe columns are ${Object.keys(columnKinds).join(", ")}.`,
  flags: [
    flag.outputFlag("--watch <TIME>", watch, { parse: flag.duration }).conflicts("output"),
    ...flag.fileFlags([...flag.formats, "prometheus"]),
    ...flag.presentationFlags({}),
    ...flag.nodeFlags(),
  ],
  examples: ["nodes", "nodes --format json --columns url,state,lag", "nodes --format prometheus -o nodes.prom --force"],
  run: nodes,
};

async function nodes(io: Io, flags: Flags): Promise<number> {
  const { watch, timeout } = flags;
  const { signal, stdout } = io;
  const { pool, nodes: urls } = await connect(io, flags);
  // Each has a client of its own, which reads from it alone.
  const clients = await Promise.all(
    urls.map(async (url) => (await connect(io, { ...flags, node: [url], retries: 0 })).client),
  );
  const named = readTarget(flags.output, flags.format)?.format;
  const format = named ?? formatOf(flags.format, io);
  const create = () =>
    format === "prometheus" ? undefined : createEncoder(io, flags, readColumns(columnKinds, flags), named, look);
  // A file or a pipe gets the header once.
  const isContinued = (format === "csv" || format === "table") && !isTerminal(io, stdout);
  let encoder = create();
  for (;;) {
    let statuses: NodePool["status"] = [];
    await printText(io, flags, async (print) => {
      statuses = await pool.check({ signal, history: true, ...(timeout !== undefined && { timeout }) });
      const known = await Promise.all(statuses.map((status, index) => learn(status, clients[index], signal)));
      signal.throwIfAborted();
      if (watch !== undefined && isTerminal(io, stdout)) await write(stdout, "\x1b[H\x1b[2J");
      const rows = known.map((node) => recordOf(node, format === "table"));
      await print(encoder ? [...encode(encoder, rows)].join("") : await metricsOf(statuses));
      return rows.length;
    });
    for (const { url, error } of statuses) if (error !== undefined) printMessage(io, `${url}: ${error}`);
    const isUp = statuses.some(({ error }) => error === undefined);
    if (watch === undefined) return isUp ? exitCodes.done : exitCodes.failed;
    await sleep(watch, undefined, { signal }).catch(() => signal.throwIfAborted());
    encoder = isContinued && encoder ? { ...encoder, head: "" } : create();
  }
}

async function metricsOf(statuses: NodePool["status"]): Promise<string> {
  const { addNodeGauges, Registry } = await import("../metrics.js");
  const registry = new Registry();
  addNodeGauges(registry, () => statuses);
  return registry.metrics();
}

type KnownNode = NodePool["status"][number] & { readonly version: string | undefined };

/** Reads the version of a node that responds, if it tells. */
async function learn(status: NodePool["status"][number], client: VegaClient | undefined, signal: AbortSignal) {
  const isAsked = client !== undefined && status.error === undefined;
  const info = isAsked ? await getPath(client, "/api/v2/info", { signal }).catch(() => undefined) : undefined;
  const { version } = (info?.data ?? {}) as { version?: unknown };
  return { ...status, version: typeof version === "string" ? version : undefined };
}

function recordOf(node: KnownNode, hasUnits: boolean) {
  const { url, state, height, timestamp, lag, latency, rateLimit, error, historyStart, version } = node;
  const number = (value: number | undefined, unit: string) => {
    if (value === undefined) return undefined;
    return hasUnits ? Math.round(value) + unit : Math.round(value);
  };
  const duration = (value: number | undefined) =>
    value !== undefined && hasUnits && value >= 10_000 ? describeDuration(value) : number(value, " ms");
  const age = timestamp === undefined ? undefined : Math.max(0, Date.now() - Number(timestamp / 1_000_000n));
  return {
    url,
    state,
    historyStart: historyStart?.toString(),
    blockAge: hasUnits && age !== undefined ? describeDuration(age) : age,
    lag: duration(lag),
    latency: duration(latency),
    rateLimit: number(rateLimit?.limit, "/s"),
    version,
    height: height?.toString(),
    blockTime: timestamp?.toString(),
    error,
  };
}
