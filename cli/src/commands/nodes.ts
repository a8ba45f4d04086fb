import type { Command } from "commander";
import type { NodeStatus } from "vegaprotocol-client/pool";
import { complete, type Setup } from "../command.js";
import { exitCodes } from "../errors.js";
import {
  addFlags,
  columnFlags,
  type FormatFlags,
  formatFlag,
  type NodeFlags,
  nodeFlags,
  type PresentationFlags,
} from "../flags.js";
import { type Io, printMessage, write } from "../io.js";
import type { ColumnKind } from "../operations.js";

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

type Flags = NodeFlags & FormatFlags & PresentationFlags;

/** Adds the command that shows the health of nodes. */
export function addNodes(program: Command, { io, action }: Setup): void {
  const summary = "Show the state of each node.";
  const command = program
    .command("nodes")
    .summary(summary)
    .description(
      `${summary}\n\nSends a read to each node and compares the blocks of the responses: height and time of the block, lag behind the ` +
        "other nodes in milliseconds of block time, latency in milliseconds, and requests in a second. The exit code is 1 if no node " +
        `responds.\n\nThe columns are ${Object.keys(columnKinds).join(", ")}.`,
    )
    .usage("[flags]")
    .action(action((flags: Flags) => nodes(io, flags)));
  addFlags(command, [formatFlag(), ...columnFlags(), ...nodeFlags()]);
  complete(command, {
    examples: ["nodes", "nodes --format json --columns url,state,lag", "nodes --node http://127.0.0.1:8080 --raw"],
    exits: [0, 1, 2, 130],
  });
}

async function nodes(io: Io, flags: Flags): Promise<number> {
  const [{ readColumns }, { createEncoder, formatOf }, { connectPool }] = await Promise.all([
    import("../output/columns.js"),
    import("../output/encoder.js"),
    import("../connection.js"),
  ]);
  const format = formatOf(flags.format, io);
  const columns = (await readColumns(columnKinds, flags)).map((column) => {
    const unit = format === "table" ? (units[column.name] ?? "") : "";
    return unit === "" ? column : { ...column, print: (text: string) => text + unit };
  });
  const { pool } = await connectPool(io, flags);
  const { signal } = io;
  const statuses = await pool.check({ signal, ...(flags.timeout !== undefined && { timeout: flags.timeout }) });
  let isErrorShown = columns.some(({ name }) => name === "error");
  const encoder = await createEncoder(format, columns, io, {
    isStdout: true,
    hasChosenColumns: flags.columns !== undefined,
    onHidden: () => {
      isErrorShown = false;
    },
  });
  const lines = statuses.map((status) => encoder.encode(recordOf(status, format === "table")));
  signal.throwIfAborted();
  await write(io.stdout, [encoder.head, ...lines, encoder.end()].join(""));
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
