import type { Command } from "commander";
import type { NodeStatus } from "vegaprotocol-client/pool";
import { addCommand, type Setup } from "../command.js";
import { connectPool } from "../connection.js";
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
  timestamp: "time",
  error: "text",
};

/** The units of numbers, which a table shows. */
const units: Readonly<Record<string, string>> = { lag: " ms", latency: " ms", rateLimit: "/s" };

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
    exits: [0, 1, 2, 130],
    run: (flags) => nodes(setup.io, flags),
  });
}

async function nodes(io: Io, flags: Flags): Promise<number> {
  const isTable = formatOf(flags.format, io) === "table";
  const { pool } = await connectPool(io, flags);
  const { signal } = io;
  let isErrorShown = flags.columns === undefined || flags.columns.includes("error");
  let statuses: readonly NodeStatus[] = [];
  const check = async () => {
    statuses = await pool.check({ signal, ...(flags.timeout !== undefined && { timeout: flags.timeout }) });
    signal.throwIfAborted();
    return statuses.map((status) => recordOf(status, isTable));
  };
  const onHidden = () => {
    isErrorShown = false;
  };
  await printRecords(io, flags, columnKinds, check, { units, onHidden });
  for (const { url, error } of isErrorShown ? [] : statuses) {
    if (error !== undefined) printMessage(io, `${url}: ${error}`);
  }
  return statuses.some(({ error }) => error === undefined) ? exitCodes.done : exitCodes.failed;
}

function recordOf(status: NodeStatus, isTable: boolean) {
  const { url, state, height, timestamp, lag, latency, rateLimit, error } = status;
  const number = (value: number | undefined) =>
    value === undefined ? undefined : isTable ? String(Math.round(value)) : Math.round(value);
  return {
    url,
    state,
    height: height?.toString(),
    timestamp: timestamp?.toString(),
    lag: number(lag),
    latency: number(latency),
    rateLimit: number(rateLimit?.limit),
    error,
  };
}
