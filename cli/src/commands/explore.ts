import { tallyVotes } from "vegaprotocol-client/reports";
import type { Definition } from "../command.js";
import { type Connection, connect } from "../connection.js";
import { UsageError } from "../errors.js";
import * as flags from "../flags.js";
import { printMessage } from "../io.js";
import { createCopy } from "../sync/copy.js";
import { hidePassword } from "../sync/destination.js";
import { serveGateway } from "./serve.js";

const completeText =
  "The records go back to the first block: accounts without an earlier record had 0. Default: their balances are unknown.";

export const exploreCommand: Definition = {
  name: "explore",
  summary: "Explore parties, proposals and nodes in a browser.",
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
  async run(io, entered, [copy]) {
    const { addExplore } = await import("../explore/app.js");
    const { port = 0, host = "127.0.0.1", completeHistory = false, totalSupply, node: nodes = [] } = entered;
    if (copy === undefined && entered.schema !== undefined) throw new UsageError("--schema requires COPY.");
    await tallyVotes([], { totalSupply });
    const hasNode = copy === undefined || nodes.length > 0;
    const isDemo = copy === undefined && nodes.length === 0 && !io.env["VEGA_NODE"];
    const demo = isDemo ? await (await import("../fake-node.js")).createDemo() : undefined;
    const own = demo ? { ...entered, node: ["http://fake-node.localhost"] } : entered;
    const connection = hasNode ? await connect({ ...io, fetch: demo?.fetch ?? io.fetch }, own) : undefined;
    const served = copy === undefined ? undefined : createCopy(copy, entered.schema, connection?.client);
    // A wrong name ends the command.
    await served?.describe(io.signal);
    const { client, pool } = served ?? (connection as Connection);
    const hosts = connection?.nodes.map((url) => new URL(url).host) ?? [];
    const names = copy === undefined ? hosts : [hidePassword(copy)];
    const isLoopback = /^(?:127\.|localhost$|::1$)/.test(host);
    const notes = ["Open the address in a browser. Press Ctrl-C to stop."];
    if (demo) notes.unshift("The records come from a fake node. Add --node URL, or a copy such as vega.db.");
    const serving = serveGateway(io, {
      ...{ client, pool, port, host, grace: 1000, notes },
      log: (entry) => {
        if (entry.status === 500) printMessage(io, `${entry["path"]}: ${entry["error"]}`);
      },
      extend: (app) =>
        addExplore(app, {
          client,
          pool: connection?.pool ?? { check: async () => [] },
          hosts: isLoopback ? [host, "localhost", "127.0.0.1", "[::1]"] : undefined,
          describe: async () => ({
            isCopy: copy !== undefined,
            names: demo ? ["Fake node"] : names,
            completeHistory: completeHistory || demo !== undefined,
            proposals: demo?.proposals ?? [],
            totalSupply: totalSupply ?? demo?.totalSupply,
            ...(served && { stored: await served.describe(io.signal) }),
          }),
        }),
    });
    return serving.finally(() => demo?.pause());
  },
};
