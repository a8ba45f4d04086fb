import { operationTexts } from "../../generated/command-line.js";
import { operations } from "../../generated/operations.js";
import type { OperationId } from "../arguments/operation.js";
import type { ListId } from "../pagination/list-operation.js";
import { argumentFlags } from "./argument-flags.js";
import type { Command } from "./command.js";
import { UsageError } from "./exit.js";
import {
  catchUpFlag,
  columnsFlag,
  concurrencyFlag,
  type Flag,
  inGroup,
  listFlags,
  nodeFlags,
  outputFlags,
} from "./flags.js";
import { followCommands } from "./follow/follow-commands.js";
import { nodeColumns } from "./node-columns.js";
import { scannable } from "./scannable.js";
import { serveFlags } from "./serve/flags.js";
import { syncFlags } from "./sync-flags.js";

/** Flags of a command that listens. */
const serverFlags: readonly Flag[] = inGroup("FLAGS", [
  { name: "port", value: "N", text: "The port to listen on. Default: a free one." },
  { name: "host", value: "HOST", text: "The address to listen on; 0.0.0.0 is all of them. Default: 127.0.0.1." },
]);

const details: Partial<Record<OperationId, string>> = {
  listBalanceChanges:
    "Reads every balance change in a range of time exactly once, in order of time. An export to a CSV or NDJSON file can be " +
    "interrupted and continued with --resume, and verify compares it with another node.",
};

/** A command for each list of the description, named after the member of the response that holds the page. */
const listCommands: readonly Command[] = Object.entries(operations).flatMap(([name, operation]) => {
  if (operation.kind !== "list") return [];
  const id = name as ListId;
  const text = operationTexts[id];
  const isScannable = scannable.includes(id);
  return {
    name: operation.envelope,
    usage: "",
    arity: [0, 0],
    summary: `${text.summary}.`,
    ...(details[id] !== undefined && { details: details[id] }),
    flags: [
      ...argumentFlags(operation, text).map(({ flag }) => flag),
      ...listFlags(Object.keys(text.columns ?? {}), isScannable),
    ],
    exits: [0, 1, 2, 3, 5, 130],
    run: async (context) => (await import("./commands/list.js")).list(id, context),
  };
});

const commandOfSingle: Partial<Record<OperationId, string>> = { getSpamStatistics: "spam" };

/** A command for each operation that reads one object. */
const singleCommands: readonly Command[] = Object.entries(operations).flatMap(([name, operation]) => {
  if (operation.kind !== "single" || operation.method !== "GET") return [];
  const id = name as OperationId;
  const text = operationTexts[id];
  const flags = [...argumentFlags(operation, text).map(({ flag }) => flag), ...outputFlags, ...nodeFlags];
  return {
    name:
      commandOfSingle[id] ??
      id
        .replace(/^get/, "")
        .replaceAll(/(?<=[a-z])[A-Z]/g, "-$&")
        .toLowerCase(),
    usage: "",
    arity: [0, 0],
    summary: `${text.summary}.`,
    flags,
    exits: [0, 1, 2, 5, 130],
    run: async (context) => (await import("./commands/single.js")).single(id, context),
  };
});

const ownCommands: readonly Command[] = [
  {
    name: "check",
    usage: "[FILE]",
    arity: [0, 1],
    summary: `${operationTexts.checkTransaction.summary}.`,
    details:
      "Reads a transaction as JSON from a file, or from stdin if FILE is - or omitted. The transaction is sent once and is " +
      "not submitted. The exit code is 4 if the node rejects it.",
    flags: [...outputFlags, ...nodeFlags],
    takesFile: true,
    exits: [0, 1, 2, 4, 5, 130],
    run: async (context) => (await import("./commands/check.js")).check(context),
  },
  {
    name: "follow",
    usage: "balances|votes|signatures",
    arity: [1, 1],
    summary: "Print new balance changes, votes or signatures as they come.",
    details: "With --output and --resume, a file has each record once, however often the program is interrupted.",
    flags: [],
    exits: [0, 1, 2, 3, 5, 130],
    subcommands: followCommands,
    run: async () => {
      throw new UsageError("Expected flags after follow balances, follow votes or follow signatures.");
    },
  },
  {
    name: "nodes",
    usage: "",
    arity: [0, 0],
    summary: "Show the state of each node.",
    details:
      "Sends one read to each node, and compares the blocks that the responses name: height, time of the block, lag and latency " +
      "in milliseconds, and requests in a second. The exit code is 1 if no node responds.",
    flags: [
      ...outputFlags,
      ...inGroup("OUTPUT FLAGS", [
        columnsFlag(Object.keys(nodeColumns)),
        { name: "raw", text: "Print times as Unix nanoseconds. Default: RFC 3339 with nanoseconds." },
      ]),
      ...nodeFlags,
    ],
    exits: [0, 1, 2, 130],
    run: async (context) => (await import("./commands/nodes.js")).nodes(context),
  },
  {
    name: "sync",
    usage: "FILE [LIST]...",
    arity: [1, 5],
    summary: "Make a local SQLite database equal to the node, and keep it so.",
    details:
      "Needs Node.js 22.13 or later. The first run reads the history, each later one continues where the database ends. A process " +
      "that is killed leaves a database that ends with a complete block. Records that the node no longer keeps stay. LIST is balances, " +
      "votes, signatures or profiles. Default: balances.",
    flags: syncFlags,
    takesFile: true,
    exits: [0, 1, 2, 3, 5, 130],
    run: async (context) => (await import("./commands/sync.js")).sync(context),
  },
  {
    name: "verify",
    usage: "FILE",
    arity: [1, 1],
    summary: "Compare an exported file with a node, record by record.",
    details:
      "FILE is a CSV or NDJSON file that the command balances wrote, with FILE.manifest.json beside it. The exit code is 0 if " +
      "the node has exactly the records of the file, 1 for the first difference, and 3 if the node cannot show it, because it is " +
      "behind or no longer keeps the whole range.",
    flags: [
      ...inGroup("OUTPUT FLAGS", [{ name: "quiet", short: "q", text: "Do not print progress or a summary." }]),
      ...nodeFlags,
      ...inGroup("NODE FLAGS", [
        { name: "page-size", value: "N", text: "How many records to request at once. Default: 1000." },
        concurrencyFlag,
        catchUpFlag,
      ]),
    ],
    takesFile: true,
    exits: [0, 1, 2, 3, 5, 130],
    run: async (context) => (await import("./commands/verify.js")).verify(context),
  },
  {
    name: "serve",
    usage: "",
    arity: [0, 0],
    summary: "Serve the lists of nodes without loss over HTTP, for programs in any language.",
    details:
      "Serves the paths and parameters of a node, with cursors that lead to every record once, from one or several nodes. It prints " +
      "its address to stdout and a line of JSON for each request to stderr, and ends with the requests in flight.",
    flags: serveFlags,
    exits: [0, 1, 2],
    run: async (context) => (await import("./commands/serve.js")).serve(context),
  },
  {
    name: "fake-node",
    usage: "",
    arity: [0, 0],
    summary: "Serve a node with generated records over HTTP, for tests of any client.",
    details:
      "Prints the address of each node to stdout. With --block-every it is a live chain: balances change, parties vote, and every 20 " +
      "blocks a proposal closes and the next one opens.",
    exits: [0, 1, 2],
    flags: inGroup("FLAGS", [
      {
        name: "port",
        value: "N",
        text: "The port to listen on; further nodes have the next ones. Default: a free one.",
      },
      { name: "host", value: "HOST", text: "The address to listen on; 0.0.0.0 is all of them. Default: 127.0.0.1." },
      {
        name: "nodes",
        value: "N",
        text: "How many nodes follow the chain, each with a port of its own. Default: 1.",
      },
      {
        name: "lag",
        value: "N",
        text: "How many blocks the nodes are behind, separated by commas, as in 0,0,600. Default: 0.",
      },
      { name: "block-every", value: "TIME", text: "End a block every so often, with new records. Default: never." },
      {
        name: "fault",
        value: "FAULTS",
        multiple: true,
        text:
          "What fails, separated by commas: latency=200ms, a status as in 503=5%, or reset, html, truncated-body, repeated-cursor " +
          "or empty-page. With a share as in reset=2% or latency=2s/10%, some requests do; without, all.",
      },
      {
        name: "from",
        value: "FILE",
        multiple: true,
        text:
          "Serve the records of an exported file, .ndjson or .ndjson.gz, or of a database of sync, .db or .sqlite, instead of generated " +
          "ones. Repeat it for several files.",
        isFile: true,
      },
      { name: "fill", text: "Generate the lists that --from does not have." },
      { name: "party", value: "ID", text: "A party that has some of the generated records, also of new blocks." },
      {
        name: "seed",
        value: "N",
        text: "The seed of the generated records. The same seed gives the same records. Default: 1.",
      },
      { name: "votes", value: "N", text: "How many votes to generate. Default: 100." },
      { name: "profiles", value: "N", text: "How many profiles of parties to generate. Default: 100." },
      { name: "balances", value: "N", text: "How many balance changes to generate. Default: 100." },
      { name: "signatures", value: "N", text: "How many node signatures to generate. Default: 100." },
      { name: "defects", text: "Lose and repeat records between pages, as v0.74 nodes do." },
      { name: "no-rate-limit", text: "Accept any number of requests." },
    ]),
    run: async (context) => (await import("./commands/fake-node.js")).fakeNode(context),
  },
  {
    name: "record",
    usage: "DIR",
    arity: [1, 1],
    summary: "Pass requests on to a node, and record them with their responses.",
    details:
      "Prints an address to use as that of a node. DIR/recordings.ndjson gets a line for each request and its response; headers of " +
      "requests are not recorded. replay serves them without a network.",
    flags: [...nodeFlags.filter(({ name }) => ["node", "header", "ca-file"].includes(name)), ...serverFlags],
    takesFile: true,
    exits: [0, 1, 2],
    run: async (context) => (await import("./commands/record.js")).record(context),
  },
  {
    name: "replay",
    usage: "DIR",
    arity: [1, 1],
    summary: "Serve the responses that were recorded, byte for byte.",
    details: "A request that was not recorded gets status 404 and an error that names the nearest one that was.",
    flags: serverFlags,
    takesFile: true,
    exits: [0, 1, 2],
    run: async (context) => (await import("./commands/replay.js")).replay(context),
  },
  {
    name: "completion",
    usage: "bash|zsh|fish",
    arity: [1, 1],
    summary: "Print the completions of a shell.",
    details:
      'Add to ~/.bashrc or ~/.zshrc: eval "$(vegaprotocol-client completion bash)", or zsh; to ~/.config/fish/config.fish: ' +
      "vegaprotocol-client completion fish | source",
    flags: [],
    exits: [0, 1, 2],
    run: async (context) => (await import("./commands/completion.js")).completion(context, commands),
  },
  {
    name: "help",
    usage: "[COMMAND]",
    arity: [0, 2],
    summary: "Show the help of a command.",
    flags: [],
    exits: [0, 1, 2],
    run: async (context) => (await import("./help.js")).help(context, commands),
  },
];

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [...listCommands, ...singleCommands, ...ownCommands];
