import type { Transaction } from "../../generated/types.js";
import type { OperationId } from "../arguments/operation.js";
import type { Block } from "../http/call.js";
import { type createTransactionCheck, readTransaction } from "./check.js";
import { listBalances } from "./lists/balances.js";
import { listProfiles } from "./lists/profiles.js";
import { listSignatures } from "./lists/signatures.js";
import { listVotes } from "./lists/votes.js";
import type { NodeBehavior } from "./options.js";
import { type List, type ListNode, makePage } from "./page.js";
import { described, operationIds, type QueryValues, readQuery } from "./query.js";
import type { RateLimiter } from "./rate-limiter.js";
import { noStatistics } from "./spam-statistics.js";
import type { Store } from "./store.js";
import { dataNodeError, errorType, GatewayError, NodeError, type Reply, toJson, tooLarge } from "./wire.js";

/** The data node behind the gateway, while it responds to one request. */
export interface DataNode extends ListNode, Pick<NodeBehavior, "blockHeaders" | "chainId" | "checkCode"> {
  limiter: RateLimiter | undefined;
  store: Store;
  block: Block;
  checkTransaction: ReturnType<typeof createTransactionCheck>;
}

/** The order of a list and its cursors, which the description does not have. */
const lists: { readonly [Id in OperationId]?: (query: QueryValues, node: DataNode) => List<unknown> } = {
  listVotes,
  listPartiesProfiles: listProfiles,
  listBalanceChanges: listBalances,
  listNodeSignatures: listSignatures,
};

const routes = operationIds.map((id) => ({ id, operation: described[id], pattern: toPattern(described[id].path) }));

/** The pattern of a path such as `/statistics/spam/{partyId}`, with a group for each parameter. */
function toPattern(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>[^/]*)")}$`);
}

/** The route of a decoded path. */
export function findRoute(path: string) {
  const route = routes.find(({ pattern }) => pattern.test(path));
  return route && { ...route, pathParameters: { ...route.pattern.exec(path)?.groups } };
}

type Route = NonNullable<ReturnType<typeof findRoute>>;

function respond({ id, operation }: Route, query: QueryValues, transaction: Transaction | undefined, node: DataNode) {
  const list = lists[id]?.(query, node);
  if (list) return { [operation.envelope ?? ""]: makePage(list, query) };
  if (id === "checkTransaction") return node.checkTransaction(transaction, node.block.height, node.checkCode);
  if (id !== "getSpamStatistics")
    throw new GatewayError(12, `The fake node does not implement ${id}. Respond to it in your \`fetch\`.`);
  const party = query.text("partyId") ?? "";
  if (party === "") throw dataNodeError(3, { code: 10006, message: "empty or missing party ID" });
  return { chainId: node.chainId, statistics: node.store.spamStatistics(party) ?? noStatistics(node.block.height) };
}

/** The largest response that the gateway passes on, in bytes (observed on v0.74 nodes). */
const largestResponse = 20 * 2 ** 20;

/**
 * Responds to a request as the gateway of a v0.74 node does. A request that the gateway rejects itself costs no token, and its response has
 * neither block nor rate headers. The path is `undefined` if it cannot be decoded.
 */
export function reply(
  path: string | undefined,
  { method, search, body }: { method: string; search: string; body: string },
  node: DataNode,
): Reply {
  if (path === undefined)
    return { status: 400, body: "400 Bad Request", headers: { "Content-Type": "text/plain; charset=utf-8" } };
  const json = { "Content-Type": "application/json" };
  let fromDataNode = {};
  try {
    const route = findRoute(path);
    if (route === undefined) throw new GatewayError(5, "Not Found");
    if (method !== route.operation.method) throw new GatewayError(12, "Method Not Allowed");
    // The gateway parses the request before it asks the data node.
    const { id, operation, pathParameters } = route;
    const query = readQuery(search, operation, pathParameters, node.version.removedNames);
    const transaction = id === "checkTransaction" ? readTransaction(body) : undefined;
    const { outcome, headers: rateHeaders } = node.limiter?.() ?? { outcome: "served" };
    const { height, timestamp } = node.block;
    const blockHeaders = { "X-Block-Height": `${height}`, "X-Block-Timestamp": `${timestamp}` };
    fromDataNode = { ...rateHeaders, ...(node.blockHeaders && blockHeaders) };
    if (outcome === "banned") throw new NodeError(7, "temporarily banned for continuing to request while rate limited");
    if (outcome === "refused") throw new NodeError(8, "api request rate limit exceeded");
    const content = toJson(respond(route, query, transaction, node));
    if (content.length > largestResponse) throw tooLarge(content.length, largestResponse);
    return { status: 200, body: content, headers: { ...json, ...fromDataNode } };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const headers = error instanceof GatewayError ? json : { ...errorType, ...fromDataNode };
    return { status: error.status, body: method === "HEAD" ? null : toJson(error.body), headers };
  }
}

/** Without an `Origin` there are no CORS headers (observed on v0.74 nodes). */
export function withCors(reply: Reply, request: Headers): Reply {
  const origin = request.get("Origin");
  const cors = origin !== null && { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "*" };
  return { ...reply, headers: { ...reply.headers, Vary: "Origin", ...cors } };
}

/** The response to a preflight request; `undefined` for another request. */
export function preflightReply({ method, headers }: Request): Reply | undefined {
  const [origin, requested] = [headers.get("Origin"), headers.get("Access-Control-Request-Method")];
  if (method !== "OPTIONS" || origin === null || requested === null) return undefined;
  const names = headers.get("Access-Control-Request-Headers");
  return {
    status: 204,
    body: null,
    headers: {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Methods": requested,
      ...(names !== null && { "Access-Control-Allow-Headers": names }),
      "Access-Control-Max-Age": "7200",
      Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
    },
  };
}
