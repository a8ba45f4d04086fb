import { once } from "node:events";
import type { ObserverEvent } from "../../http/events.js";
import type { CommandContext } from "../command.js";
import { connectPool, readNodes } from "../connection.js";
import { exitCodes } from "../exit.js";
import { print } from "../message.js";
import { Gateway } from "../serve/gateway.js";
import { NodeNames } from "../serve/node-names.js";
import { countNodes, createMetrics, measure } from "../serve/observation.js";
import { GatewayServer } from "../serve/server.js";

/** Serves the lists of nodes until the program is interrupted. */
export async function serve(context: CommandContext): Promise<number> {
  const { io, values } = context;
  const metrics = createMetrics();
  const isVerbose = values.has("verbose");
  const isQuiet = values.has("quiet");
  const port = values.integer("port", { minimum: 0, maximum: 65_535 }) ?? 8080;
  const host = values.text("host") ?? "127.0.0.1";
  const callerRate = values.integer("caller-rate", { minimum: 0 }) ?? 50;
  const cacheBytes = (values.integer("cache-size", { minimum: 0 }) ?? 64) * 2 ** 20;
  const maxLag = values.duration("max-lag") ?? 2000;
  const grace = values.duration("grace", { allowsZero: true }) ?? 10_000;
  const write = (entry: object) => {
    io.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
  };
  const names = new NodeNames(readNodes(context));
  const observe = (event: ObserverEvent) => {
    countNodes(metrics, names, event);
    if (isVerbose) write(names.describe(event));
  };
  const { client, pool } = await connectPool(context, observe, { maxLag });
  const gateway = new Gateway({ client, hide: names.hide, now: io.now, callerRate, cacheBytes });
  const server = new GatewayServer({
    gateway,
    pool,
    metrics,
    measure: () => measure(metrics, pool, names, gateway),
    log: (entry) => {
      if (!isQuiet || entry.status === 500) write({ event: "request", ...entry });
    },
    now: io.now,
    cors: values.all("cors"),
    trustsProxy: values.has("trust-proxy"),
  });
  const url = await server.listen(port, host);
  try {
    await print(io, `${url}\n`);
    if (!io.signal.aborted) await once(io.signal, "abort");
  } finally {
    await server.close(grace);
  }
  return exitCodes.done;
}
