/** The commands `serve` and `explore`, which run a gateway. */
import { once } from "node:events";
import { InvalidArgumentError } from "commander";
import type { ObserverEvent } from "vegaprotocol-client";
import { tallyVotes } from "vegaprotocol-client/reports";
import type { Definition } from "../command.js";
import { connect } from "../connection.js";
import { UsageError } from "../errors.js";
import * as flags from "../flags.js";
import { type Io, printMessage, write } from "../io.js";
import type { createGateway, GatewayOptions } from "../serve/app.js";
import type { App } from "../serve/server.js";
import { createCopy } from "../sync/copy.js";
import { hidePassword } from "../sync/destination.js";
import { readDuration } from "../times.js";

const corsText = "An origin whose pages may read responses, such as https://page.example, or * for all. Default: none.";
const proxyText = "Take the caller's address from the last entry of X-Forwarded-For. Only behind a proxy that sets it.";
const graceText = "How long requests in flight may take after SIGTERM or Ctrl-C. Default: 10s.";

export const serveCommand: Definition = {
  name: "serve",
  summary: "Serve complete lists over HTTP, for programs in any language.",
  details:
    "Serves the paths and parameters of a node, with cursors that lead to every record once, from one or several nodes. It prints its " +
    "address to stdout and a line of JSON for each request to stderr. TLS, authentication, rate limits and caches are for a reverse proxy.",
  flags: [
    ...flags.nodeFlags(),
    ...flags.serverFlags("; 0 is a free one. Default: 8080"),
    flags.flag("--cors <ORIGIN>", corsText, { repeat: true, parse: readOrigin }),
    flags.flag("--trust-proxy", proxyText),
    flags.flag("--grace <TIME>", graceText, { parse: readDuration }),
    flags.flag("-q, --quiet", "Print no line for each request, apart from those with status 500."),
  ],
  examples: ["serve --port 8081", "serve --cors https://page.example"],
  run: serve,
};

function readOrigin(value: string): string {
  const { protocol, host } = URL.canParse(value) ? new URL(value) : {};
  if (value === "*" || value === `${protocol}//${host}`) return value;
  throw new InvalidArgumentError("Expected an origin such as https://page.example, or *.");
}

const completeText =
  "The records go back to the first block: accounts without an earlier record had 0. Default: their balances are unknown.";

export const exploreCommand: Definition = {
  name: "explore",
  summary: "Look at parties, proposals and nodes in a browser.",
  details:
    "Serves a page with balances over time, statements, votes and the health of nodes, and prints its address. COPY is a DESTINATION of " +
    "vegaprotocol sync: an SQLite database such as vega.db, a folder, or PostgreSQL; with --node, the node adds limits and the rules of " +
    "proposals. Without COPY and nodes, the page shows a fake node. It loads nothing from other hosts.",
  arguments: ["[COPY]"],
  flags: [
    ...flags.nodeFlags(),
    flags.nodeFlag("--schema <NAME>", flags.schemaText),
    ...flags.serverFlags(". Default: a free one"),
    flags.flag("--complete-history", completeText),
    flags.flag("--total-supply <N>", "The governance tokens that exist, in the smallest unit. Default: unknown."),
  ],
  examples: ["explore", "explore --port 8090 --node http://127.0.0.1:8080"],
  run: explore,
};

interface Serving extends Omit<GatewayOptions, "now" | "signal" | "closing"> {
  readonly port: number;
  readonly host: string;
  readonly grace: number;
  /** The application to serve. Default: the gateway itself. */
  readonly appOf?: (gateway: ReturnType<typeof createGateway>) => App;
}

/** Serves a gateway until the program is interrupted, and prints its address to stdout, and notes to stderr. */
async function serveGateway(io: Io, { port, host, grace, appOf, ...options }: Serving, notes: readonly string[] = []) {
  const { createGateway } = await import("../serve/app.js");
  const { startServer } = await import("../serve/server.js");
  const { now, signal } = io;
  const closing = new AbortController();
  const gateway = createGateway({ ...options, now, signal, closing: closing.signal });
  const server = await startServer(appOf?.(gateway) ?? gateway, port, host);
  try {
    await write(io.stdout, `${server.url}\n`);
    for (const note of notes) printMessage(io, note);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await server.close(closing, grace);
  }
}

async function serve(io: Io, entered: flags.Flags): Promise<void> {
  const { addNodeGauges, createNodeMetrics, Registry } = await import("../metrics.js");
  const { port = 8080, host = "127.0.0.1", grace = 10_000, quiet, verbose, cors: origins = [] } = entered;
  const log = (entry: object) => {
    io.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
  };
  // No addresses and messages of the client, which can contain secrets: their hosts and names.
  const observe = ({ type: event, operation, attempt, node = "", ...others }: ObserverEvent) => {
    const { status, error } = others as { status?: number; error?: { name: string; message: string } };
    log({ event, operation, attempt, node: new URL(node).host, status, error: error?.name });
  };
  const registry = new Registry();
  const options = { ...(verbose && { observe }), metrics: createNodeMetrics(registry), maxLag: 2000 };
  const { client, pool } = await connect(io, entered, options);
  addNodeGauges(registry, () => pool.status);
  return serveGateway(io, {
    ...{ client, pool, port, host, grace, origins, registry },
    trustsProxy: entered.trustProxy,
    log: (entry) => {
      if (!quiet || entry.status === 500) log({ event: "request", ...entry });
    },
  });
}

async function explore(io: Io, entered: flags.Flags, [copy]: readonly string[]): Promise<void> {
  const { createExplore } = await import("../explore/app.js");
  const { port = 0, host = "127.0.0.1", completeHistory = false, totalSupply, node: nodes = [] } = entered;
  if (copy === undefined && entered.schema !== undefined) throw new UsageError("--schema requires COPY.");
  await tallyVotes([], { totalSupply });
  const hasNode = nodes.length > 0 || (copy === undefined && Boolean(io.env["VEGA_NODE"]));
  const demo = hasNode || copy !== undefined ? undefined : await (await import("../fake-node.js")).createDemo();
  const connection = demo
    ? await connect({ ...io, fetch: demo.fetch }, { ...entered, node: ["http://fake-node.localhost"] })
    : hasNode
      ? await connect(io, entered)
      : undefined;
  const served = copy === undefined ? undefined : createCopy(copy, entered.schema, connection?.client);
  // A wrong name ends the command.
  await served?.describe(io.signal);
  const { client, pool } = served ?? connection ?? (await connect(io, entered));
  const names = copy === undefined ? (connection?.nodes ?? []).map((url) => new URL(url).host) : [hidePassword(copy)];
  const isLoopback = /^(?:127\.|localhost$|::1$)/.test(host);
  const options: Serving = {
    ...{ client, pool, port, host, grace: 1000 },
    log: (entry) => {
      if (entry.status === 500) printMessage(io, `${entry["path"]}: ${entry["error"]}`);
    },
    appOf: (gateway) =>
      createExplore({
        gateway,
        client,
        pool: connection?.pool ?? { check: async () => [] },
        hosts: isLoopback ? [host, "localhost", "127.0.0.1", "[::1]"] : undefined,
        closing: io.signal,
        describe: async () => ({
          isCopy: copy !== undefined,
          names: demo ? ["Fake node"] : names,
          completeHistory: completeHistory || demo !== undefined,
          proposals: demo?.proposals ?? [],
          totalSupply: totalSupply ?? demo?.totalSupply,
          ...(served && { stored: await served.describe(io.signal) }),
        }),
      }),
  };
  const notes = ["Open the address in a browser. Press Ctrl-C to stop."];
  if (demo) notes.unshift("The records come from a fake node. Add --node URL, or a copy such as vega.db.");
  return serveGateway(io, options, notes).finally(() => demo?.pause());
}
