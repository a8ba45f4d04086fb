import { createFakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { firstOutput, kill } from "../../../../test/support/run.js";
import { start } from "../../support/cli-process.js";

/** Serves three nodes with all defects, of which two are behind, and the built program in front of them, in a process of its own. */
export async function startSetting(data: Parameters<typeof createFakeNetwork>[0]) {
  const all = { nodes: [{}, { lag: 1 }, { lag: 2 }], ...data };
  const network = createFakeNetwork(all, { defects: nodeDefects, rateLimit: false });
  for (let block = 0; block < 3; block++) network.nextBlock();
  const servers = await Promise.all(network.nodes.map((node) => listen(node)));
  const child = start(["serve", "--port", "0", "--quiet", ...servers.flatMap(({ url }) => ["--node", url])]);
  child.stderr.pipe(process.stderr);
  return {
    network,
    gateway: { url: await firstOutput(child), child },
    async end() {
      await kill(child);
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
