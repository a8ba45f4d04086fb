// What a CommonJS module writes that requires the package.
import vega = require("vegaprotocol-client");
import testing = require("vegaprotocol-client/testing");
import pool = require("vegaprotocol-client/pool");
import follow = require("vegaprotocol-client/follow");
import query = require("vegaprotocol-client/query");
import validate = require("vegaprotocol-client/validate");

const network: testing.FakeNetwork = testing.createFakeNetwork({ nodes: [{}] });
const nodes: pool.NodePool = pool.nodePool(network.nodes.map(({ url }) => url));
const client: vega.VegaClient = vega.createClient({
  baseUrl: nodes,
  validate: validate.validateAnswers({ onMismatch: "throw" }),
});

export async function use(partyId: string): Promise<readonly vega.Vote[]> {
  const { nodes } = await query.queries(client).listVotes({ partyId }).queryFn({});
  for await (const vote of follow.followVotes(client, { partyId })) if (vote.value === "VALUE_YES") break;
  const error: unknown = nodes;
  if (error instanceof vega.ApiError || vega.RateLimitError.is(error)) throw new Error(`${error.status}`);
  return nodes;
}

// @ts-expect-error A client has no such option.
vega.createClient({ baseUrl: nodes, timeOut: 5 });
