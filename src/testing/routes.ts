import type { operations } from "../../generated/openapi.js";
import type { Transaction } from "../../generated/types.js";
import type { CheckCode, TransactionCheck } from "./check.js";
import { dataNodeError, tooLarge } from "./errors.js";
import { listBalances } from "./lists/balances.js";
import { listProfiles } from "./lists/profiles.js";
import { listSignatures } from "./lists/signatures.js";
import { listVotes } from "./lists/votes.js";
import type { NodeDefect } from "./options.js";
import { makePage, type PageFault } from "./page.js";
import {
  balanceParameters,
  type Message,
  profileParameters,
  signatureParameters,
  voteParameters,
} from "./parameters.js";
import { type QueryValues, readQuery } from "./query.js";
import { noStatistics } from "./spam-statistics.js";
import type { Store } from "./store.js";
import type { Microseconds } from "./time.js";
import { parseTransaction } from "./transaction.js";

/** What the data node needs to respond to a request. */
export interface NodeState {
  store: Store;
  hasDefect(defect: NodeDefect): boolean;
  pageFault: PageFault;
  tieSeed: string | undefined;
  history: Microseconds;
  height: bigint;
  chainId: string;
  transactions: TransactionCheck;
  checkCode: (tx: Transaction) => CheckCode;
}

/** A request as the gateway reads it: its path without the prefix of the route. */
export interface RouteRequest {
  path: string;
  search: string;
  body: string;
}

export interface Route {
  operation: keyof operations;
  method: "GET" | "POST";
  /** The decoded path; a slash at its end stands for a path parameter behind it. */
  path: string;
  /** The gateway's part: parses the request. The function that it returns is the data node's part. */
  parse(request: RouteRequest): (node: NodeState) => object;
}

export const routes: readonly Route[] = [
  listRoute("listVotes", "/api/v2/votes", voteParameters, (query, { store, hasDefect, pageFault, tieSeed }) => {
    const options = { tiedCursors: hasDefect("tied-vote-cursors"), tieSeed };
    return { votes: makePage(listVotes(store.votes, store.ids, query, options), query, pageFault) };
  }),
  listRoute("listPartiesProfiles", "/api/v2/parties/profiles", profileParameters, (query, node) => {
    const list = listProfiles(node.store.profiles, node.store.ids, query, node.hasDefect("failing-profile-cursors"));
    return { profiles: makePage(list, query, node.pageFault) };
  }),
  listRoute("listBalanceChanges", "/api/v2/balance/changes", balanceParameters, (query, node) => {
    const options = { unnamedAccounts: node.hasDefect("lost-balance-changes"), history: node.history };
    const list = listBalances(node.store.balances, node.store.ids, query, options);
    return { balances: makePage(list, query, node.pageFault) };
  }),
  listRoute("listNodeSignatures", "/api/v2/node/signatures", signatureParameters, (query, { store, pageFault }) => ({
    signatures: makePage(listSignatures(store.signatures, store.ids, query), query, pageFault),
  })),
  {
    operation: "getSpamStatistics",
    method: "GET",
    path: "/statistics/spam/",
    parse({ path }) {
      return ({ store, chainId, height }) => {
        if (path === "") throw dataNodeError(3, { code: 10006, message: "empty or missing party ID" });
        return { chainId, statistics: store.spamStatistics(path) ?? noStatistics(height) };
      };
    },
  },
  {
    operation: "checkTransaction",
    method: "POST",
    path: "/transaction/check",
    parse({ body }) {
      const transaction = parseTransaction(body);
      const size = transaction?.size ?? 0;
      if (size > largestRequest) throw tooLarge(size, largestRequest);
      return ({ transactions, height, checkCode }) => transactions.check(transaction, height, checkCode);
    },
  },
];

/** The largest message that a node accepts, in bytes: inputData counts without its base64 (observed on v0.74 nodes). */
const largestRequest = 4 * 2 ** 20;

function listRoute(
  operation: keyof operations,
  path: string,
  parameters: Message,
  handle: (query: QueryValues, node: NodeState) => object,
): Route {
  return {
    operation,
    method: "GET",
    path,
    parse({ search }) {
      const query = readQuery(search, parameters);
      return (node) => handle(query, node);
    },
  };
}

/** The route of a decoded path, and what is behind it. */
export function findRoute(path: string): { route: Route; rest: string } | undefined {
  for (const route of routes) {
    const rest = path.slice(route.path.length);
    const fits = route.path.endsWith("/") ? !rest.includes("/") : rest === "";
    if (path.startsWith(route.path) && fits) return { route, rest };
  }
  return undefined;
}
