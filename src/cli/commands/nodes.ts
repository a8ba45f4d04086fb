import type { VegaClient } from "../../client/client.js";
import type { NodeStatus } from "../../client/node-pool.js";
import { describe } from "../../errors/index.js";
import type { CommandContext } from "../command.js";
import { connectPool } from "../connection.js";
import { exitCodes } from "../exit.js";
import { nodeColumns } from "../node-columns.js";
import { readColumns, type WireRecord } from "../output/columns.js";
import { createFormat, readFormat } from "../output/format.js";
import { stdoutWriter } from "../output/stdout.js";

/** Sends one read to each node, and prints what the responses say. */
export async function nodes(context: CommandContext): Promise<number> {
  const { io, values } = context;
  const columns = readColumns(nodeColumns, values.text("columns"), { raw: values.has("raw") });
  const name = readFormat(values, io);
  const { client, pool } = await connectPool(context);
  const errors = await Promise.all(pool.status.map(({ url }) => read(client, url, io.signal)));
  io.signal.throwIfAborted();
  const format = createFormat(name, columns, io, false);
  const lines = pool.status.map((status, index) => format.line(recordOf(status, errors[index])));
  await stdoutWriter(io.stdout)([format.head, ...lines, format.end()].join(""));
  return errors.includes(undefined) ? exitCodes.done : exitCodes.failed;
}

/** Reads one balance change from a node: the response names the block. Returns what went wrong, if something did. */
async function read(client: VegaClient, node: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    await client.listBalanceChanges({ pagination: { first: 1 } }, { node, signal, retry: false });
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

function recordOf(status: NodeStatus, error: string | undefined): WireRecord {
  const { url, state, height, timestamp, lag, latency, rateLimit } = status;
  return {
    url,
    state,
    height: height?.toString(),
    timestamp: timestamp?.toString(),
    lag,
    latency: latency === undefined ? undefined : Math.round(latency),
    rateLimit: rateLimit?.limit,
    error,
  };
}
