/** The page, and the paths that it needs in addition to the gateway. */
import type { Hono } from "hono";
import type { VegaClient } from "vegaprotocol-client";
import type { NodePool } from "vegaprotocol-client/pool";
import { readOwnFile } from "../io.js";
import { getPath } from "../other-paths.js";
import type { Env } from "../serve/app.js";
import { nodeError } from "../serve/errors.js";
import type { Source } from "./page/data.js";

export interface ExploreOptions {
  readonly client: VegaClient;
  readonly pool: Pick<NodePool, "check">;
  readonly describe: () => Promise<Source>;
  /** The host names under which the page can be opened: another site could let its own name lead here. Default: all. */
  readonly hosts?: readonly string[] | undefined;
}

export function addExplore(app: Hono<Env>, { client, pool, describe, hosts }: ExploreOptions): void {
  app.use((context, next) => {
    const host = context.req.header("Host")?.replace(/:\d+$/, "") ?? "";
    if (hosts === undefined || hosts.includes(host)) return next();
    return Promise.resolve(context.text("Open the page by its address.\n", 403));
  });

  app.get("/", (context) => {
    const page = readOwnFile("dist/explore.html");
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
    return context.html(page, 200, {
      "Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    });
  });

  app.get("/explore/source", async (context) => context.json(await describe()));

  app.get("/explore/nodes", async (context) => {
    // The path of an address can be a secret, and errors contain addresses.
    const nodes = (await pool.check()).map(({ url, error, ...node }) => ({
      ...node,
      host: new URL(url).host,
      error: error && `The last request failed${/ with status \d+/.exec(error)?.[0] ?? ""}`,
    }));
    const text = JSON.stringify({ nodes }, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    return context.body(text, 200, { "Content-Type": "application/json" });
  });

  for (const path of ["/api/v2/assets", "/api/v2/governance"]) {
    app.get(path, async (context) => {
      const { data, error, response } = await getPath(client, path, { params: { query: context.req.query() } });
      const { status } = response;
      return context.json((data ?? nodeError(error, status)) as object, status as 200);
    });
  }
}
