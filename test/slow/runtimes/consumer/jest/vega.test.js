const { run } = require("../suite.cjs");
const { run: runListen } = require("../listen.cjs");
const { followBalanceChanges } = require("vegaprotocol-client/follow");
const { nodePool } = require("vegaprotocol-client/pool");
const { queries } = require("vegaprotocol-client/query");
const { ApiError, createClient } = require("vegaprotocol-client");
const { createFakeNetwork } = require("vegaprotocol-client/testing");

const failed = (results) => results.filter(({ error }) => error !== null);

test("runs all tests of a runtime", async () => {
  expect(failed(await run(process.env.NODE_URL))).toEqual([]);
  expect(failed(await runListen())).toEqual([]);
}, 30_000);

test("has all entries", async () => {
  const network = createFakeNetwork({ nodes: [{}, {}], votes: 20, balances: 20 });
  const client = createClient({ baseUrl: nodePool(network.nodes.map(({ url }) => url)), fetch: network.fetch });
  const [{ partyId }] = network.nodes[0].records.votes;
  const { nodes } = await queries(client).listVotes({ partyId }).queryFn({});
  expect(nodes.length).toBeGreaterThan(0);
  for await (const { balance } of followBalanceChanges(client, {}, { from: "start" })) {
    expect(balance).toMatch(/^\d+$/);
    break;
  }
  await expect(client.listNodeSignatures({ id: "no id" })).rejects.toBeInstanceOf(ApiError);
});
