import { once } from "node:events";
import type { Command } from "commander";
import type { FakeNode } from "vegaprotocol-client/testing";
import type { FakeNodeServer } from "vegaprotocol-client/testing/node";
import { complete, type Setup } from "../command.js";
import { exitCodes } from "../errors.js";
import { addFlags, duration, flag, type GeneralFlags, integer, type ServerFlags, serverFlags } from "../flags.js";
import { type Io, printMessage, write } from "../io.js";

const lists = ["votes", "profiles", "balances", "signatures"] as const;

interface Flags extends GeneralFlags, ServerFlags, Partial<Record<(typeof lists)[number], number>> {
  readonly nodes?: number;
  readonly lag?: string;
  readonly blockEvery?: number;
  readonly fault?: readonly string[];
  readonly from?: readonly string[];
  readonly fill?: true;
  readonly party?: string;
  readonly seed?: number;
  readonly defects?: true;
  readonly rateLimit: boolean;
}

/** Adds the command that serves nodes to try things with. */
export function addFakeNode(program: Command, { io, action }: Setup): void {
  const summary = "Serve a node with generated records over HTTP, to try commands and to test any client.";
  const command = program
    .command("fake-node")
    .summary(summary)
    .description(
      `${summary}\n\nPrints the address of each node to stdout. With --block-every it is a live chain: balances change, parties ` +
        "vote, and every 20 blocks a proposal closes and the next one opens.",
    )
    .usage("[flags]")
    .action(action((flags: Flags) => fakeNode(io, flags)));
  const number = integer({ minimum: 0 });
  addFlags(command, [
    ...serverFlags("; further nodes have the next ones. Default: a free one"),
    flag("--nodes <N>", "How many nodes follow the chain, each with a port of its own. Default: 1.", {
      parse: integer({ maximum: 100 }),
    }),
    flag("--lag <N>", "How many blocks the nodes are behind, separated by commas, such as 0,0,600. Default: 0."),
    flag("--block-every <TIME>", "Add a block with new records after each TIME. Default: never.", { parse: duration }),
    flag(
      "--fault <FAULTS>",
      "What fails, separated by commas: latency=200ms, a status such as 503=5%, or reset, html or truncated-body. " +
        "With a share such as reset=2% or latency=2s/10%, some requests do; without, all.",
      { repeat: true },
    ),
    flag(
      "--from <FILE>",
      "Serve the records of an exported file, .ndjson or .ndjson.gz, or of a database of sync, .db or .sqlite, instead of generated " +
        "ones. Repeat it for several files.",
      { repeat: true },
    ),
    flag("--fill", "Generate the lists that --from does not have."),
    flag("--party <ID>", "A party that has some of the generated records, also of new blocks."),
    flag("--seed <N>", "The seed of the generated records. The same seed gives the same records. Default: 1.", {
      parse: number,
    }),
    flag("--votes <N>", "How many votes to generate. Default: 100.", { parse: number }),
    flag("--profiles <N>", "How many profiles of parties to generate. Default: 100.", { parse: number }),
    flag("--balances <N>", "How many balance changes to generate. Default: 100.", { parse: number }),
    flag("--signatures <N>", "How many node signatures to generate. Default: 100.", { parse: number }),
    flag("--defects", "Lose and repeat records between pages, as v0.74 nodes do."),
    flag("--no-rate-limit", "Accept any number of requests."),
  ]);
  complete(command, {
    examples: [
      "fake-node --port 8090",
      "fake-node --port 8090 --balances 20000 --defects --no-rate-limit",
      "fake-node --port 8090 --block-every 1s --nodes 3 --lag 0,0,600 --fault latency=200ms,503=5%",
    ],
    exits: [0, 1, 2],
  });
}

/** Serves fake nodes until the program is interrupted. */
async function fakeNode(io: Io, flags: Flags): Promise<number> {
  const [{ createFakeNetwork, createFakeNode, nodeDefects }, { listen }, { readExports, readFaults, readLags }] =
    await Promise.all([
      import("vegaprotocol-client/testing"),
      import("vegaprotocol-client/testing/node"),
      import("../fake-node.js"),
    ]);
  const { port = 0, host, nodes = 1, blockEvery, defects, rateLimit, seed, party, from = [] } = flags;
  const isFilled = from.length === 0 || flags.fill === true;
  const counts = lists.map((name) => [name, flags[name] ?? (isFilled ? 100 : undefined)]);
  const lags = readLags(flags.lag, nodes);
  const options = {
    faults: readFaults(flags.fault ?? []),
    ...(blockEvery !== undefined && { blockEvery }),
    ...(defects && { defects: nodeDefects }),
    ...(!rateLimit && { rateLimit: false as const }),
  };
  const data = {
    ...Object.fromEntries(counts),
    ...(isFilled && { spamStatistics: 10 }),
    seed,
    party,
    ...(await readExports(from)),
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
      await write(io.stdout, `${server.url}\n`);
    }
    printHints(io, all[0], servers[0]?.url);
    if (!io.signal.aborted) await once(io.signal, "abort");
  } finally {
    for (const node of all) node.pause();
    await Promise.all(servers.map((server) => server.close()));
  }
  return exitCodes.done;
}

/** Prints commands to try. */
function printHints(io: Io, node: FakeNode | undefined, url: string | undefined): void {
  const proposal = node?.records.votes.at(-1)?.proposalId;
  const resource = node?.records.signatures[0]?.id;
  if (proposal !== undefined) printMessage(io, `Try: vegaprotocol votes --node ${url} --proposal ${proposal}`);
  if (resource !== undefined) printMessage(io, `Try: vegaprotocol signatures --node ${url} --id ${resource}`);
  printMessage(io, "Press Ctrl-C to stop.");
}
