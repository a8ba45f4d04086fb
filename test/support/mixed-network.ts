import fc from "fast-check";
import { type BalanceChange, createClient, type VegaClient } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNetwork, type FakeNodeOptions, nodeDefects } from "../../src/testing/index.js";

const second = 1_000_000_000n;
const day = 86_400n * second;

const dayOf = (time: bigint) => time / day;

/** The time of the first block: 1 February 2024, noon. */
export const firstTime = 1_706_788_800n * second;

/** A node of a network whose nodes differ. */
export interface MixedNode extends FakeNodeOptions {
  version: "v0.74" | "v0.79";
  lag: number;
  blockHeaders: boolean;
}

/** What happens before a request. */
type Happening = "block" | "drop" | "lag" | undefined;

/** A network of nodes of different versions, progress and history, and what happens to it while it is read. */
export interface MixedWorld {
  /** The seconds between blocks, and how many changes each has. */
  blocks: readonly (readonly [seconds: number, changes: number])[];
  nodes: readonly MixedNode[];
  /** How a client reaches the nodes. */
  access: "node" | "address" | "pool";
  happenings: readonly Happening[];
}

const node: fc.Arbitrary<MixedNode> = fc.record({
  version: fc.constantFrom("v0.74", "v0.79"),
  lag: fc.constantFrom(0, 0, 1, 3),
  blockHeaders: fc.constantFrom(true, true, true, false),
});

/** Worlds of a few days. Nodes behind one address that name no block are not told apart, so that they do not lag. */
export const mixedWorld: fc.Arbitrary<MixedWorld> = fc
  .record({
    blocks: fc.array(
      fc.tuple(fc.constantFrom(1, 1, 7, 60, 21_600, 72_000), fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 9 }))),
      { minLength: 4, maxLength: 24 },
    ),
    nodes: fc.array(node, { minLength: 1, maxLength: 3 }),
    access: fc.constantFrom("node" as const, "address" as const, "pool" as const),
    happenings: fc.array(fc.constantFrom<Happening>(undefined, undefined, undefined, "block", "drop", "lag"), {
      maxLength: 30,
    }),
  })
  .map((world) => {
    const namesBlocks = world.nodes.some(({ blockHeaders }) => blockHeaders);
    const nodes = world.nodes.map((each, index) => ({
      ...each,
      // One node is current, and names its block if any does.
      ...(index === 0 && { lag: 0, blockHeaders: namesBlocks }),
      ...(!namesBlocks && { lag: 0 }),
    }));
    // Without blocks, nothing shows that records are still to come.
    const happenings = world.happenings.filter((happening) => namesBlocks || happening === "drop");
    return { ...world, nodes, happenings };
  });

/** Creates the network of a world, and a client of it. */
export function createMixedNetwork({ blocks, nodes, access, happenings }: MixedWorld) {
  let account = 0;
  let time = firstTime;
  const changeAt = (timestamp: bigint): BalanceChange => ({
    timestamp: `${timestamp}`,
    assetId: "a1".repeat(32),
    partyId: (++account).toString(16).padStart(64, "0"),
    marketId: "",
    // v0.79 nodes send the second one as a number.
    accountType: account % 2 === 0 ? "ACCOUNT_TYPE_GENERAL" : "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION",
    balance: String(account),
  });
  const heightOf = (timestamp: bigint) => 1_000_000n + (timestamp - firstTime) / second;
  // No range begins before it.
  const balances = [changeAt(firstTime - 3600n * second)];
  for (const [seconds, changes] of blocks) {
    for (let count = 0; count < changes; count++) balances.push(changeAt(time));
    time += BigInt(seconds) * second;
  }
  const network = createFakeNetwork(
    { nodes, balances, block: { height: heightOf(time), timestamp: time } },
    { defects: nodeDefects, rateLimit: false, date: () => Number(time / 1_000_000n) },
  );
  let dropped = 0n;
  const happen = (happening: Happening) => {
    if (happening === "block") {
      const added = [changeAt(time), changeAt(time)];
      balances.push(...added);
      time += 2n * second;
      network.nextBlock({ balances: added, block: { height: heightOf(time), timestamp: time } });
    }
    // Behind one address, nodes of different history cannot be told apart.
    const dropping = access === "pool" ? network.nodes.slice(-1) : network.nodes;
    const kept = balances.map(({ timestamp }) => dayOf(BigInt(timestamp))).filter((each) => each > dropped);
    const [oldest] = kept;
    // Real nodes keep a day at least. One without any record is taken to be new.
    if (happening === "drop" && oldest !== undefined && oldest < dayOf(time) && kept.some((each) => each > oldest)) {
      dropped = oldest;
      for (const each of dropping) each.dropHistory();
    }
    if (happening === "lag") network.nodes.at(-1)?.configure({ lag: nodes.length > 1 ? 2 : 0 });
  };
  let requests = 0;
  const fetch = (request: Request) => {
    happen(happenings[requests++]);
    return network.fetch(request);
  };
  const urls = network.nodes.map(({ url }) => url);
  const baseUrl = { node: urls[0] ?? "", address: network.url, pool: nodePool(urls) }[access];
  const client = createClient({ baseUrl, fetch, pacing: false, retry: false });
  return { network, client, balances, end: () => time, happen };
}

/** A client of a node that has everything, and follows its cursors as real nodes do. */
export function healthyClient(balances: readonly BalanceChange[], end: bigint): VegaClient {
  const block = { height: 9_000_000n, timestamp: end + 30n * day };
  const { nodes } = createFakeNetwork(
    { nodes: 1, balances: [...balances], block },
    { defects: nodeDefects, rateLimit: false },
  );
  const [node] = nodes;
  if (node === undefined) throw new Error("Expected a network with a node.");
  return createClient({ baseUrl: node.url, fetch: node.fetch, pacing: false });
}
