/** The page, and the paths that it needs in addition to the gateway. */
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { VegaClient } from "vegaprotocol-client";
import { type FollowEvent, followBalanceChanges, followVotes, StalledError } from "vegaprotocol-client/follow";
import type { NodePool } from "vegaprotocol-client/pool";
import { getPath } from "../other-paths.js";
import { readPage } from "../output/html.js";
import type { createGateway } from "../serve/app.js";
import { rejectionOf, responseTo } from "../serve/errors.js";
import type { Source } from "./page/data.js";

export interface ExploreOptions {
  readonly gateway: ReturnType<typeof createGateway>;
  readonly client: VegaClient;
  readonly pool: Pick<NodePool, "check">;
  readonly describe: () => Promise<Source>;
  /** The host names under which the page can be opened: another site could let its own name lead here. Default: all. */
  readonly hosts?: readonly string[] | undefined;
  readonly closing: AbortSignal;
}

export function createExplore({ gateway, client, pool, describe, hosts, closing }: ExploreOptions) {
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.use((context, next) => {
    const host = context.req.header("Host")?.replace(/:\d+$/, "") ?? "";
    if (hosts === undefined || hosts.includes(host)) return next();
    return Promise.resolve(context.text("Open the page by its address.\n", 403));
  });

  app.get("/", (context) => {
    const page = readPage();
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
    return context.html(page, 200, {
      "Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
    });
  });

  app.onError((error, context) => {
    const { status, body } = responseTo(error);
    return context.json(body, status as 500);
  });
  app.get("/explore/source", async (context) => context.json(await describe()));

  app.get("/explore/nodes", async (context) => {
    // The path of an address can be a secret, and errors contain addresses.
    const nodes = (await pool.check()).map(({ url, error, ...node }) => ({
      ...node,
      host: new URL(url).host,
      error: error && "The node does not respond as expected.",
    }));
    const text = JSON.stringify({ nodes }, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    return context.body(text, 200, { "Content-Type": "application/json" });
  });

  for (const path of ["/api/v2/assets", "/api/v2/governance"]) {
    app.get(path, async (context) => {
      const { data, error, response } = await getPath(client, path, { params: { query: context.req.query() } });
      return context.json((data ?? error ?? {}) as object, response.status as 200);
    });
  }

  /** New blocks: how many records of the party or of the proposal they have, and up to when there are all. */
  app.get("/explore/events", (context) => {
    const { party, proposal } = context.req.query();
    return streamSSE(context, async (stream) => {
      const controller = new AbortController();
      const signal = AbortSignal.any([closing, controller.signal]);
      const end = () => controller.abort();
      stream.onAbort(end);
      const stop = (data: string) => stream.writeSSE({ event: "stopped", data, retry: 15_000 }).then(end);
      // The page connects again later.
      const observe = ({ type }: FollowEvent) => {
        if (type === "retry") void stop("The node does not respond.");
      };
      const filter = party === undefined ? {} : { partyIds: [party] };
      const follower = proposal
        ? followVotes(client, { proposalId: proposal }, { signal, observe })
        : followBalanceChanges(client, { filter }, { signal, observe });
      try {
        for await (const { records, upTo } of follower.batches()) {
          await stream.writeSSE({ data: JSON.stringify({ records: records.length, upTo: `${upTo}` }) });
        }
      } catch (error) {
        const { status, message } = rejectionOf(error);
        const reason = status === 500 ? "The node cannot be followed." : message;
        if (!signal.aborted) await stop(StalledError.is(error) ? "There has been no new block for a minute." : reason);
      }
    });
  });

  app.all("*", (context) => gateway.fetch(context.req.raw, context.env));
  return Object.assign(app, { requests: gateway.requests, callerOf: gateway.callerOf });
}
