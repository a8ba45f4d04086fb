import { once } from "node:events";
import { createFakeNode, nodeDefects } from "../../testing/index.js";
import { listen } from "../../testing/node/index.js";
import type { Context } from "../command.js";
import { exitCodes } from "../exit.js";
import { print } from "../message.js";

const lists = ["votes", "profiles", "balances", "signatures"] as const;

/** Serves a fake node until the program is interrupted. */
export async function fakeNode({ io, values }: Context): Promise<number> {
  const count = (name: string) => values.integer(name, { minimum: 0 }) ?? 100;
  const records = Object.fromEntries(lists.map((name) => [name, count(name)]));
  const data = { ...records, spamStatistics: 10, seed: values.integer("seed", { minimum: 0 }) };
  const port = values.integer("port", { minimum: 0, maximum: 65_535 });
  const node = createFakeNode(data, {
    ...(values.has("defects") && { defects: nodeDefects }),
    ...(values.has("no-rate-limit") && { rateLimit: false }),
  });
  const server = await listen(node, { port });
  try {
    await print(io, `${server.url}\n`);
    if (!io.signal.aborted) await once(io.signal, "abort");
  } finally {
    await server.close();
  }
  return exitCodes.done;
}
