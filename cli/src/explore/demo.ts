/** A live fake node with a month of records. */
import { withOtherPaths } from "../commands/fake-node-paths.js";
import { liveChain } from "../commands/live-chain.js";
import { day } from "../times.js";

const month = 30n * day;

export async function createDemo() {
  const { createFakeNode, nodeDefects } = await import("vegaprotocol-client/testing");
  const counts = { balances: 4000, votes: 400, profiles: 40, signatures: 9, spamStatistics: 20 };
  const { records } = createFakeNode(counts);
  const times = records.balances.map(({ timestamp }) => BigInt(timestamp));
  const [newest = 0n, oldest = 0n] = [times[0], times.at(-1)];
  // The generated changes are of a few minutes.
  const balances = records.balances.map((change, index) => {
    const age = newest - (times[index] ?? newest);
    return { ...change, timestamp: `${newest - (age * month) / (newest - oldest)}` as const };
  });
  const node = createFakeNode({ ...records, balances }, { rateLimit: false, defects: nodeDefects });
  const timer = setInterval(liveChain(node, { blockTime: 1_000_000_000n, seed: 1, party: undefined }), 1000);
  const { fetch } = withOtherPaths(node);
  const proposals = [...new Set(records.votes.map(({ proposalId }) => proposalId))].reverse();
  return { fetch, pause: () => clearInterval(timer), proposals, totalSupply: "200000000000000000000000000" };
}
