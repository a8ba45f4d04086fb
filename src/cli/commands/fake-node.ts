import { once } from "node:events";
import { createFakeNetwork, createFakeNode, type FakeNode, nodeDefects } from "../../testing/index.js";
import { type FakeNodeServer, listen } from "../../testing/node/index.js";
import type { CommandContext } from "../command.js";
import { exitCodes } from "../exit.js";
import { readExports } from "../fake-node/exports.js";
import { readFaults, readLags } from "../fake-node/values.js";
import { print } from "../message.js";

const lists = ["votes", "profiles", "balances", "signatures"] as const;

/** Serves fake nodes until the program is interrupted. */
export async function fakeNode({ io, values }: CommandContext): Promise<number> {
  const files = values.all("from");
  const isFilled = files.length === 0 || values.has("fill");
  const counts = lists.map((name) => [name, values.integer(name, { minimum: 0 }) ?? (isFilled ? 100 : undefined)]);
  const port = values.integer("port", { minimum: 0, maximum: 65_535 }) ?? 0;
  const host = values.text("host");
  const nodes = values.integer("nodes", { maximum: 100 }) ?? 1;
  const lags = readLags(values, nodes);
  const blockEvery = values.duration("block-every");
  const options = {
    faults: readFaults(values),
    ...(blockEvery !== undefined && { blockEvery }),
    ...(values.has("defects") && { defects: nodeDefects }),
    ...(values.has("no-rate-limit") && { rateLimit: false as const }),
  };
  const data = {
    ...Object.fromEntries(counts),
    ...(isFilled && { spamStatistics: 10 }),
    seed: values.integer("seed", { minimum: 0 }),
    party: values.text("party"),
    ...(await readExports(files)),
  };
  const all: readonly FakeNode[] =
    nodes === 1
      ? [createFakeNode(data, { ...options, lag: lags[0] })]
      : createFakeNetwork({ ...data, nodes: lags.map((lag) => ({ lag })) }, options).nodes;
  const servers: FakeNodeServer[] = [];
  try {
    for (const [index, node] of all.entries()) {
      const server = await listen(node, { port: port === 0 ? 0 : port + index, ...(host !== undefined && { host }) });
      servers.push(server);
      await print(io, `${server.url}\n`);
    }
    if (!io.signal.aborted) await once(io.signal, "abort");
  } finally {
    for (const node of all) node.pause();
    await Promise.all(servers.map((server) => server.close()));
  }
  return exitCodes.done;
}
