import type { Command } from "commander";
import type { NodeStatus } from "vegaprotocol-client/pool";
import { addCommand, type Setup } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes } from "../errors.js";
import { formatFlag, type NodeFlags, nodeFlags, type PresentationFlags, presentationFlags } from "../flags.js";
import { type Io, printMessage } from "../io.js";
import type { ColumnKind } from "../operations.js";
import { formatOf, printRecords } from "../output/print.js";

/** The columns that a narrow terminal has room for come first. */
const columnKinds: Readonly<Record<string, ColumnKind>> = {
  url: "exact",
  state: "exact",
  height: "amount",
  lag: "amount",
  latency: "amount",
  rateLimit: "amount",
  blockTime: "time",
  error: "text",
};

type Flags = NodeFlags & PresentationFlags;

export function addNodes(program: Command, setup: Setup): void {
  const summary = "Show the state of each node.";
  addCommand<Flags>(program, setup, {
    name: "nodes",
    summary,
    details:
      "Sends a read to each node and compares the blocks of the responses: height and time of the block, lag behind the " +
      "other nodes in milliseconds of block time, latency in milliseconds, and requests in a second. The exit code is 1 if no node " +
      `responds.\n\nThe columns are ${Object.keys(columnKinds).join(", ")}.`,
    flags: [formatFlag(), ...presentationFlags({}), ...nodeFlags()],
    examples: ["nodes", "nodes --format json --columns url,state,lag", "nodes --node http://127.0.0.1:8080 --raw"],
    run: nodes,
  });
}

async function nodes(io: Io, flags: Flags): Promise<number> {
  const { signal } = io;
  const hasUnits = formatOf(flags.format, io) === "table";
  const { pool } = await connect(io, flags);
  const statuses = await pool.check({ signal, ...(flags.timeout !== undefined && { timeout: flags.timeout }) });
  signal.throwIfAborted();
  await printRecords(io, flags, columnKinds, async () => statuses.map((status) => recordOf(status, hasUnits)));
  for (const { url, error } of statuses) if (error !== undefined) printMessage(io, `${url}: ${error}`);
  return statuses.some(({ error }) => error === undefined) ? exitCodes.done : exitCodes.failed;
}

function recordOf(status: NodeStatus, hasUnits: boolean) {
  const { url, state, height, timestamp, lag, latency, rateLimit, error } = status;
  const number = (value: number | undefined, unit: string) => {
    if (value === undefined) return undefined;
    return hasUnits ? Math.round(value) + unit : Math.round(value);
  };
  return {
    url,
    state,
    height: height?.toString(),
    blockTime: timestamp?.toString(),
    lag: number(lag, " ms"),
    latency: number(latency, " ms"),
    rateLimit: number(rateLimit?.limit, "/s"),
    error,
  };
}
