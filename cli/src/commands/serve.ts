import { once } from "node:events";
import { InvalidArgumentError } from "commander";
import type { ObserverEvent } from "vegaprotocol-client";
import type { Definition } from "../command.js";
import { connect } from "../connection.js";
import * as flags from "../flags.js";
import { type Io, printableJson, printMessage, write } from "../io.js";
import type { GatewayOptions } from "../serve/app.js";
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
  async run(io, entered) {
    const { addNodeGauges, createNodeMetrics, Registry } = await import("../metrics.js");
    const { port = 8080, host = "127.0.0.1", grace = 10_000, quiet, verbose, cors: origins = [] } = entered;
    const log = (entry: object) => {
      io.stderr.write(`${printableJson(JSON.stringify({ time: new Date().toISOString(), ...entry }))}\n`);
    };
    // No addresses and messages of the client, which can contain secrets: their hosts and names.
    const observe = ({ type: event, operation, attempt, node = "", ...others }: ObserverEvent) => {
      const { status, error } = others as { status?: number; error?: { name: string; message: string } };
      log({ event, operation, attempt, node: new URL(node).host, status, error: error?.name });
    };
    const registry = new Registry();
    const options = { ...(verbose && { observe }), count: createNodeMetrics(registry), maxLag: 2000 };
    const { client, pool } = await connect(io, entered, options);
    addNodeGauges(registry, () => pool.status);
    return serveGateway(io, {
      ...{ client, pool, port, host, grace, origins, registry },
      trustsProxy: entered.trustProxy,
      log: (entry) => {
        if (!quiet || entry.status === 500) log({ event: "request", ...entry });
      },
    });
  },
};

function readOrigin(value: string): string {
  const { protocol, host } = URL.canParse(value) ? new URL(value) : {};
  if (value === "*" || value === `${protocol}//${host}`) return value;
  throw new InvalidArgumentError("Expected an origin such as https://page.example, or *.");
}

interface Serving extends Omit<GatewayOptions, "now" | "signal" | "closing"> {
  readonly port: number;
  readonly host: string;
  readonly grace: number;
  /** Printed to stderr once it serves. */
  readonly notes?: readonly string[];
}

/** Serves a gateway until the program is interrupted. Prints its address to stdout. */
export async function serveGateway(io: Io, { port, host, grace, notes = [], ...options }: Serving): Promise<void> {
  const { createGateway } = await import("../serve/app.js");
  const { serverLimits, startServer } = await import("../serve/server.js");
  const { now, signal } = io;
  const closing = new AbortController();
  const gateway = createGateway({ ...options, now, signal, closing: closing.signal });
  // All connections of a proxy have its address.
  const { connections } = serverLimits;
  const limits = { ...serverLimits, ...(options.trustsProxy && { connectionsOfAddress: connections }) };
  const server = await startServer(gateway, port, host, limits);
  try {
    await write(io.stdout, `${server.url}\n`);
    for (const note of notes) printMessage(io, note);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await server.close(closing, grace);
  }
}
