import { setTimeout as sleep } from "node:timers/promises";
import type { VegaClient } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import { withoutMethods } from "../arguments.js";
import type { Definition } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import { isTerminal, printMessage, write } from "../io.js";
import type { ColumnKind } from "../operations.js";
import { getPath } from "../other-paths.js";
import { columnsText } from "../output/columns.js";
import { readTarget } from "../output/file.js";
import { createEncoder, encode, formatOf, printText } from "../output/print.js";
import { describeDuration } from "../times.js";

type Status = NodePool["status"][number] & { readonly version?: string | undefined };

const number = (value: number | undefined, unit: string | false) =>
  value === undefined ? undefined : unit ? Math.round(value) + unit : Math.round(value);
const duration = (value: number | undefined, hasUnits: boolean) =>
  value !== undefined && hasUnits && value >= 10_000 ? describeDuration(value) : number(value, hasUnits && " ms");
function ageOf({ timestamp }: Status, hasUnits: boolean) {
  if (timestamp === undefined) return undefined;
  const age = Math.max(0, Date.now() - Number(timestamp / 1_000_000n));
  return hasUnits ? describeDuration(age) : age;
}

/** The columns that a narrow terminal has room for come first. */
const columns: Readonly<Record<string, readonly [ColumnKind, read: (node: Status, hasUnits: boolean) => unknown]>> = {
  url: ["exact", ({ url }) => url],
  state: ["exact", ({ state }) => state],
  historyStart: ["time", ({ historyStart }) => historyStart?.toString()],
  blockAge: ["amount", ageOf],
  lag: ["amount", ({ lag }, hasUnits) => duration(lag, hasUnits)],
  latency: ["amount", ({ latency }, hasUnits) => duration(latency, hasUnits)],
  rateLimit: ["amount", ({ rateLimit }, hasUnits) => number(rateLimit?.limit, hasUnits && "/s")],
  version: ["exact", ({ version }) => version],
  height: ["amount", ({ height }) => height?.toString()],
  blockTime: ["time", ({ timestamp }) => timestamp?.toString()],
  error: ["text", ({ error }) => error && withoutMethods(error)],
};
const columnKinds = Object.fromEntries(Object.entries(columns).map(([name, [kind]]) => [name, kind]));

const look = { title: "Nodes" };
const watch = "Check the nodes again every TIME, until it is interrupted.";

export const nodesCommand: Definition = {
  name: "nodes",
  summary: "Show the state of each node.",
  details:
    "Prints the age of each node's last block, its lag behind the other nodes and its latency, all in milliseconds, and its rate " +
    "limit in requests per second. historyStart is the time of the oldest balance change that it returns. The exit code is 1 if no " +
    `node responds.${columnsText(columnKinds)}`,
  flags: [
    flag.outputFlag("--watch <TIME>", watch, { parse: flag.duration }).conflicts("output"),
    ...flag.fileFlags([...flag.formats, "prometheus"]),
    ...flag.presentationFlags({}),
    ...flag.nodeFlags(),
  ],
  examples: ["nodes", "nodes --format json --columns url,state,lag", "nodes --format prometheus -o nodes.prom --force"],
  async run(io, flags) {
    const { watch, timeout } = flags;
    const { signal, stdout } = io;
    const { pool, nodes, clientOf } = await connect(io, flags);
    const clients = nodes.map((node) => clientOf(node).withOptions({ retry: false }));
    const named = readTarget(flags.output, flags.format)?.format;
    const format = named ?? formatOf(flags.format, io);
    if (watch !== undefined && (format === "json" || format === "html"))
      throw new UsageError(
        `--watch prints the nodes again and again: use another --format than ${format}, such as ndjson.`,
      );
    const create = () => (format === "prometheus" ? undefined : createEncoder(io, flags, columnKinds, named, look));
    // A file or a pipe gets the header once.
    const isContinued = (format === "csv" || format === "table") && !isTerminal(io, stdout);
    let encoder = create();
    for (;;) {
      let statuses: NodePool["status"] = [];
      await printText(io, flags, async (print) => {
        statuses = await pool.check({ signal, history: true, ...(timeout !== undefined && { timeout }) });
        const known = await Promise.all(statuses.map((status, index) => withVersion(status, clients[index], signal)));
        signal.throwIfAborted();
        if (watch !== undefined && isTerminal(io, stdout)) await write(stdout, "\x1b[H\x1b[2J");
        const rows = known.map((node) => recordOf(node, format === "table" || format === "html"));
        await print(
          encoder ? [...encode(encoder, rows)].join("") : await (await import("../metrics.js")).nodeMetrics(statuses),
        );
        return rows.length;
      });
      for (const { url, error } of statuses)
        if (error !== undefined) printMessage(io, `${url}: ${withoutMethods(error)}`);
      const isUp = statuses.some(({ error }) => error === undefined);
      if (watch === undefined) return isUp ? exitCodes.done : exitCodes.failed;
      await sleep(watch, undefined, { signal }).catch(() => signal.throwIfAborted());
      encoder = isContinued && encoder ? { ...encoder, head: "" } : create();
    }
  },
};

async function withVersion(status: Status, client: VegaClient | undefined, signal: AbortSignal): Promise<Status> {
  if (client === undefined || status.error !== undefined) return status;
  const info = await getPath(client, "/api/v2/info", { signal }).catch(() => undefined);
  const { version } = (info?.data ?? {}) as { version?: unknown };
  return { ...status, version: typeof version === "string" ? version : undefined };
}

const recordOf = (node: Status, hasUnits: boolean) =>
  Object.fromEntries(Object.entries(columns).map(([name, [, read]]) => [name, read(node, hasUnits)]));
