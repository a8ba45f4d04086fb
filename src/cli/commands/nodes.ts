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
  const reads = await Promise.all(pool.status.map(({ url }) => read(client, url, io.signal)));
  io.signal.throwIfAborted();
  const format = createFormat(name, columns, io, false);
  const lines = pool.status.map((status, index) => format.line(recordOf(status, reads[index] ?? {})));
  await stdoutWriter(io.stdout)([format.head, ...lines, format.end()].join(""));
  return reads.some(({ error }) => error === undefined) ? exitCodes.done : exitCodes.failed;
}

interface Read {
  readonly historyStart?: string | undefined;
  readonly error?: string;
}

/** Reads the oldest balance change that a node keeps: the response names the block, too. */
async function read(client: VegaClient, node: string, signal: AbortSignal): Promise<Read> {
  const pagination = { first: 1, newestFirst: false };
  try {
    const page = await client.listBalanceChanges({ pagination }, { node, signal, retry: false });
    return { historyStart: page.nodes[0]?.timestamp };
  } catch (error) {
    return { error: describe(error) };
  }
}

function recordOf(status: NodeStatus, { historyStart, error }: Read): WireRecord {
  const { url, state, height, timestamp, lag, latency, rateLimit } = status;
  return {
    url,
    state,
    height: height?.toString(),
    timestamp: timestamp?.toString(),
    lag,
    latency: latency === undefined ? undefined : Math.round(latency),
    historyStart,
    rateLimit: rateLimit?.limit,
    error,
  };
}
