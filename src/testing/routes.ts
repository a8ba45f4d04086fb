import { GatewayError } from "./errors.js";
import { listRecords } from "./lists/records.js";
import { described, type OperationId, operationIds } from "./operations.js";
import { makePage } from "./page.js";
import { readQuery } from "./query.js";
import { listResponders, type ResponderState, responders } from "./responders.js";

/** A request as the gateway reads it. */
export interface RouteRequest {
  pathParameters: Readonly<Record<string, string>>;
  search: string;
  body: string;
  /** The names of the description that the node does not have. */
  removedNames: readonly string[];
}

export interface Route {
  readonly operation: OperationId;
  readonly method: string;
  /** Matches the decoded path, with a group for each parameter of the path. */
  readonly pattern: RegExp;
  /** The gateway's part: parses the request. The function that it returns is the data node's part. */
  parse(request: RouteRequest): (node: ResponderState) => object;
}

/** A route for each operation of the description. A path without parameters comes before one that it also matches. */
const routes = operationIds.map(toRoute).sort((a, b) => countGroups(a) - countGroups(b));

function toRoute(id: OperationId): Route {
  const operation = described[id];
  const { method, path, envelope } = operation;
  return {
    operation: id,
    method,
    pattern: toPattern(path),
    parse({ pathParameters, search, body, removedNames }) {
      const query = readQuery(search, operation.arguments, pathParameters, removedNames);
      if (envelope !== undefined) {
        const respond = listResponders[id] ?? ((_, { store }) => listRecords(store.list(envelope), operation, query));
        return (node) => ({ [envelope]: makePage(respond(query, node), query, node.pageFault) });
      }
      const respond = responders[id];
      if (respond !== undefined) return respond(query, body);
      throw new GatewayError(12, `The fake node does not implement ${id}. Respond to it in your \`fetch\`.`);
    },
  };
}

/** The pattern of a path such as `/statistics/spam/{partyId}`. */
function toPattern(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>[^/]*)")}$`);
}

function countGroups({ pattern }: Route): number {
  return pattern.source.split("(?<").length;
}

/** The route of a decoded path. If no operation of the path has the method, another one of the path. */
export function findRoute(method: string, path: string) {
  const found = routes.flatMap((route) => {
    const match = route.pattern.exec(path);
    return match ? [{ route, pathParameters: { ...match.groups } }] : [];
  });
  return found.find(({ route }) => route.method === method) ?? found[0];
}
