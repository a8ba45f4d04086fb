import type { OperationId } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { Transaction } from "../../generated/types.js";
import type { Argument, Arguments, Operation, Value } from "../arguments/operation.js";
import { isDigits } from "../values/integers.js";
import { toName } from "../values/names.js";
import { readTransaction } from "./check.js";
import { lists } from "./lists.js";
import type { DataNode } from "./page.js";
import { noStatistics, unusedPow } from "./spam-statistics.js";
import { type NodeVersion, removedName } from "./versions.js";
import { dataNodeError, errorType, GatewayError, NodeError, type Reply } from "./wire.js";

/** The pattern of a path such as `/statistics/spam/{partyId}`, with a group for each parameter. */
const toPattern = (path: string) => new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]*)")}$`);

/** `envelope` is the member of a list's response that holds the page. */
type Route = Operation & { id: OperationId; pattern: RegExp; envelope?: string };

const routes = Object.entries(operations).map(
  ([id, operation]): Route => ({ ...operation, id: id as OperationId, pattern: toPattern(operation.path) }),
);

export const findRoute = (path: string): Route | undefined => routes.find(({ pattern }) => pattern.test(path));

/** The parameters with their dotted names. */
const flatten = (parameters: Arguments, prefix = ""): [string, Exclude<Argument, { kind: "object" }>][] =>
  Object.entries(parameters).flatMap(([name, each]) =>
    each.kind === "object" ? flatten(each.members, `${prefix}${name}.`) : [[prefix + name, each]],
  );

/** The spellings of a boolean that Go reads, such as the `False` of Python. */
const booleans = /^(?:[tTfF01]|true|True|TRUE|false|False|FALSE)$/;

/**
 * Reads the parameters of a request by their names in camelCase or in snake_case. As on a node, unknown parameters are
 * ignored.
 */
function readQuery(search: string, operation: Operation, version: NodeVersion): URLSearchParams {
  const jsonName = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const query = new URLSearchParams([...new URLSearchParams(search)].map(([name, value]) => [jsonName(name), value]));
  for (const [name, type] of flatten(operation.arguments)) {
    const given = query.getAll(name);
    if (given.length > 1 && type.kind !== "array")
      throw new GatewayError(3, `too many values for field "${name}": ${given.join(", ")}`);
    const invalid = given.find((text) => !isValid(type.kind === "array" ? type.items : type, text, version));
    if (invalid !== undefined) throw new GatewayError(3, `parsing field "${name}": "${invalid}" is not a valid value`);
  }
  return query;
}

function isValid(type: Value, text: string, version: NodeVersion): boolean {
  const isInteger = (bits: number) => isDigits(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text);
  switch (type.kind) {
    case "int32":
      return isInteger(32);
    case "nanoseconds":
      return isInteger(64);
    case "boolean":
      return booleans.test(text);
    case "enum": {
      const name = /^[+-]?\d+$/.test(text) ? toName(type, Number(text)) : text;
      return type.values.some((each) => each === name && (version === "v0.74" || each !== removedName));
    }
    default:
      return true;
  }
}

function resultOf({ id, envelope = "" }: Route, query: URLSearchParams, tx: Transaction | undefined, node: DataNode) {
  const page = lists[id]?.(query, node);
  if (page) return { [envelope]: page };
  if (id === "checkTransaction") return node.checkTransaction(tx, node.block.height, node.checkCode);
  if (id !== "getSpamStatistics")
    throw new GatewayError(12, `The fake node does not implement ${id}. Respond to it in your \`fetch\`.`);
  const party = query.get("partyId") ?? "";
  if (party === "") throw dataNodeError(3, { code: 10006, message: "empty or missing party ID" });
  const statistics = { ...noStatistics, pow: unusedPow(node.block.height), ...node.store.spamStatistics.get(party) };
  return { chainId: node.chainId, statistics };
}

/**
 * Responds to a request as a v0.74 node does. A request that the gateway rejects itself costs no token, and its
 * response has neither block nor rate headers.
 */
export function reply(
  { method, url }: Pick<Request, "method" | "url">,
  body: string,
  route: Route | undefined,
  node: DataNode,
): Reply {
  const json = { "Content-Type": "application/json" };
  let fromNode = {};
  try {
    if (route === undefined) throw new GatewayError(5, "Not Found");
    if (method !== route.method) throw new GatewayError(12, "Method Not Allowed");
    // The gateway parses the request before it asks the data node.
    const { pathname, search } = new URL(url);
    const inPath = Object.entries({ ...route.pattern.exec(pathname)?.groups }).map(
      ([name, value]) => `&${name}=${value}`,
    );
    const query = readQuery(search + inPath.join(""), route, node.version);
    const tx = route.id === "checkTransaction" ? readTransaction(body) : undefined;
    const { outcome, headers: rateHeaders } = node.limiter?.() ?? { outcome: "served" };
    const { height, timestamp } = node.block;
    const blockHeaders = { "X-Block-Height": `${height}`, "X-Block-Timestamp": `${timestamp}` };
    fromNode = { ...rateHeaders, ...(node.blockHeaders && blockHeaders) };
    if (outcome === "banned") throw new NodeError(7, "temporarily banned for continuing to request while rate limited");
    if (outcome === "refused") throw new NodeError(8, "api request rate limit exceeded");
    const content = JSON.stringify(resultOf(route, query, tx, node));
    return { status: 200, body: content, headers: { ...json, ...fromNode } };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const headers = error instanceof GatewayError ? json : { ...errorType, ...fromNode };
    return { status: error.status, body: method === "HEAD" ? null : JSON.stringify(error.body), headers };
  }
}

/** Adds CORS headers if there is an `Origin`, and responds to preflight requests (observed on v0.74 nodes). */
export function withCors({ method, headers }: Request, respond: () => Reply): Reply {
  const origin = headers.get("Origin");
  const [requested, names] = ["Method", "Headers"].map((name) => headers.get(`Access-Control-Request-${name}`));
  const allowed = origin !== null && { "Access-Control-Allow-Origin": origin };
  if (method !== "OPTIONS" || !allowed || !requested) {
    const reply = respond();
    const cors = allowed && { ...allowed, "Access-Control-Expose-Headers": "*" };
    return { ...reply, headers: { ...reply.headers, Vary: "Origin", ...cors } };
  }
  const preflight = {
    ...allowed,
    "Access-Control-Allow-Methods": requested,
    ...(names && { "Access-Control-Allow-Headers": names }),
    "Access-Control-Max-Age": "7200",
    Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  };
  return { status: 204, body: null, headers: preflight };
}
