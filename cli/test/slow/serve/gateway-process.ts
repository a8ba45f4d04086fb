import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createFakeNetwork, type FakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { start } from "../../support/cli-process.js";

/** A network over HTTP, and the built program in front of it, in a process of its own. */
export interface Setting {
  readonly network: FakeNetwork;
  readonly gateway: { readonly url: string; readonly child: ChildProcess };
  end(): Promise<void>;
}

/** Serves three nodes with all defects, of which two are behind. */
export async function startSetting(data: Parameters<typeof createFakeNetwork>[0]): Promise<Setting> {
  const network = createFakeNetwork(
    { nodes: [{}, { lag: 1 }, { lag: 2 }], ...data },
    { defects: nodeDefects, rateLimit: false },
  );
  for (let block = 0; block < 3; block++) network.nextBlock();
  const servers = await Promise.all(network.nodes.map((node) => listen(node)));
  const child = start(["serve", "--port", "0", "--quiet", ...servers.flatMap(({ url }) => ["--node", url])]);
  child.stderr?.pipe(process.stderr);
  const [line] = child.stdout ? await once(child.stdout, "data") : [""];
  return {
    network,
    gateway: { url: String(line).trim(), child },
    async end() {
      const closed = once(child, "close");
      child.kill();
      await closed;
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
