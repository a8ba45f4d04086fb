import { once } from "node:events";
import type { FakeNode, NodeFault } from "vegaprotocol-client/testing";
import type { FakeNodeServer } from "vegaprotocol-client/testing/node";
import type { Definition } from "../command.js";
import { UsageError } from "../errors.js";
import { liveChain, withOtherPaths } from "../fake-node.js";
import { duration, type Flags, flag, integer, serverFlags } from "../flags.js";
import { type Io, printMessage, write } from "../io.js";

const listNames = ["votes", "profiles", "balances", "signatures"] as const;

interface FakeFlags extends Flags, Partial<Record<(typeof listNames)[number], number>> {
  readonly nodes?: number;
  readonly lag?: readonly number[];
  readonly blockEvery?: number;
  readonly fault?: readonly string[];
  readonly party?: string;
  readonly seed?: number;
  readonly defects?: true;
  readonly rateLimit: boolean;
}

const faultText =
  "Faults, separated by commas: latency=200ms, a status such as 503=5%, or reset, html or truncated-body. A share such as reset=2% " +
  "or latency=2s/10% limits a fault to some requests.";
const lagText =
  "How many blocks the nodes are behind, separated by commas, such as 0,0,600; further nodes have the last number. Default: 0.";

const number = { parse: integer({ minimum: 0 }) };

export const fakeNodeCommand: Definition<FakeFlags> = {
  name: "fake-node",
  summary: "Serve a node with generated records over HTTP, to try commands and to test any client.",
  details:
    "Prints the address of each node to stdout. With --block-every it is a live chain: balances change, parties vote, and every 20 blocks " +
    "a proposal closes and the next one opens. Its blocks are from February 2024.",
  flags: [
    ...serverFlags("; further nodes have the next ones. Default: a free one"),
    flag("--nodes <N>", "How many nodes follow the chain. Default: 1.", { parse: integer({ maximum: 100 }) }),
    flag("--lag <N>", lagText, { parse: (text) => text.split(",").map(number.parse) }),
    flag("--block-every <TIME>", "Add a block with new records every TIME. Default: never.", { parse: duration }),
    flag("--fault <FAULTS>", faultText, { repeat: true }),
    flag("--party <ID>", "A party that has some of the generated records, also of new blocks."),
    flag("--seed <N>", "The same seed gives the same records. Default: 1.", number),
    ...listNames.map((name) => {
      const records = name === "balances" ? "balance changes" : name;
      return flag(`--${name} <N>`, `How many ${records} to generate. Default: 100.`, number);
    }),
    flag("--defects", "Lose and repeat records between pages, as v0.74 nodes do."),
    flag("--no-rate-limit", "Accept any number of requests."),
  ],
  examples: [
    "fake-node --port 8090",
    "fake-node --port 8090 --balances 20000 --defects --no-rate-limit",
    "fake-node --port 8090 --block-every 1s --nodes 3 --lag 0,0,600 --fault latency=200ms,503=5%",
  ],
  async run(io, flags) {
    const [{ createFakeNetwork, createFakeNode, nodeDefects }, { listen }] = await Promise.all([
      import("vegaprotocol-client/testing"),
      import("vegaprotocol-client/testing/node"),
    ]);
    const { port = 0, host, nodes = 1, blockEvery, defects, rateLimit, seed, party, lag = [] } = flags;
    if (lag.length > nodes) {
      const expected = nodes === 1 ? "one number" : `at most ${nodes} numbers, one for each node`;
      throw new UsageError(`Expected --lag to have ${expected}, got "${lag.join(",")}".`);
    }
    if (port + nodes - 1 > 65_535)
      throw new UsageError(`Expected --port to leave room for ${nodes} nodes below 65536, got ${port}.`);
    const options = {
      faults: (flags.fault ?? []).flatMap((text) => text.split(",").map(readFault)),
      defects: defects && nodeDefects,
      rateLimit: rateLimit ? undefined : (false as const),
    };
    const counts = Object.fromEntries(listNames.map((name) => [name, flags[name] ?? 100]));
    const data = { ...counts, spamStatistics: 10, seed, party };
    const all: readonly FakeNode[] =
      nodes === 1 ? [createFakeNode(data, options)] : createFakeNetwork({ ...data, nodes }, options).nodes;
    const blockTime = BigInt(Math.round((blockEvery ?? 0) * 1e6));
    const endBlock = liveChain(all[0] as FakeNode, { blockTime, seed: seed ?? 1, party });
    for (const [index, node] of all.entries()) node.configure({ lag: lag[index] ?? lag.at(-1) ?? 0 });
    const timer = blockEvery === undefined ? undefined : setInterval(endBlock, blockEvery);
    // Each seed has three assets, and signatures of them.
    const assets = createFakeNode({ signatures: 3, seed }).records.signatures.map(({ id }) => id);
    const servers: FakeNodeServer[] = [];
    try {
      for (const [index, node] of all.entries()) {
        const server = await listen(withOtherPaths(node, assets), { port: port === 0 ? 0 : port + index, host });
        servers.push(server);
        await write(io.stdout, `${server.url}\n`);
      }
      printHints(io, all[0], servers[0]?.url);
      if (!io.signal.aborted) await once(io.signal, "abort");
    } finally {
      clearInterval(timer);
      await Promise.all(servers.map((server) => server.close()));
    }
  },
};

function printHints(io: Io, node: FakeNode | undefined, url: string | undefined): void {
  const proposal = node?.records.votes.at(-1)?.proposalId;
  const resource = node?.records.signatures[0]?.id;
  // npx sets the variable: nothing is installed then.
  const program = io.env["npm_command"] === "exec" ? "npx vegaprotocol-cli" : "vegaprotocol";
  if (proposal !== undefined) printMessage(io, `Try: ${program} votes --node ${url} --proposal ${proposal}`);
  if (resource !== undefined) printMessage(io, `Try: ${program} signatures --node ${url} --id ${resource}`);
  printMessage(io, "Press Ctrl-C to stop.");
}

const plainFaults = ["reset", "html", "truncated-body"] as const;

/** Reads faults, such as `latency=200ms/10%`, `503=5%` or `reset`. */
function readFault(text: string): NodeFault {
  const [, name = "", time, unit, percent] =
    /^([\w-]+)(?:=(\d+(?:\.\d+)?)(ms|s))?(?:[=/](\d+(?:\.\d+)?)%)?$/.exec(text) ?? [];
  const share = percent === undefined ? {} : { share: Number(percent) / 100 };
  const plain = plainFaults.find((each) => each === name);
  if ((share.share ?? 0) <= 1) {
    if (name === "latency" && Number(time) > 0)
      return { name, milliseconds: Number(time) * (unit === "s" ? 1000 : 1), ...share };
    if (/^[2-5]\d\d$/.test(name) && !time) return { name: "status", status: Number(name), ...share };
    if (plain && !time) return { name: plain, ...share };
  }
  throw new UsageError(
    `Expected --fault to have latency=200ms, a status, or one of ${plainFaults.join(", ")}, each with a share from 0% to 100% ` +
      `such as latency=200ms/10% or 503=5%, got "${text}".`,
  );
}
