import type { Transaction } from "../../generated/types.js";
import type { CheckCode, TransactionCheck } from "./check.js";
import { dataNodeError, tooLarge } from "./errors.js";
import { listBalances } from "./lists/balances.js";
import { listProfiles } from "./lists/profiles.js";
import { listSignatures } from "./lists/signatures.js";
import { listVotes } from "./lists/votes.js";
import type { OperationId } from "./operations.js";
import type { AccountIdRule, NodeDefect } from "./options.js";
import type { List, PageFault } from "./page.js";
import type { QueryValues } from "./query.js";
import { noStatistics } from "./spam-statistics.js";
import type { Store } from "./store.js";
import type { Microseconds } from "./time.js";
import { parseTransaction } from "./transaction.js";
import type { VersionRules } from "./versions.js";

/** What the data node needs to respond to a request. */
export interface ResponderState {
  store: Store;
  version: VersionRules;
  /** Its clock, in milliseconds since 1970. */
  date: () => number;
  hasDefect(defect: NodeDefect): boolean;
  accountIds: AccountIdRule;
  pageFault: PageFault;
  tieSeed: string | undefined;
  history: Microseconds;
  height: bigint;
  chainId: string;
  transactions: TransactionCheck;
  checkCode: (tx: Transaction) => CheckCode;
}

/** The list that a request is for. */
type ListResponder = (query: QueryValues, node: ResponderState) => List<unknown>;

/** The lists with an order and cursors of their own, which the description does not have. */
export const listResponders: { readonly [Id in OperationId]?: ListResponder } = {
  listVotes: (query, { store, version, hasDefect, tieSeed }) =>
    listVotes(store.votes, store.ids, query, { tiedCursors: hasDefect("tied-vote-cursors"), tieSeed, version }),
  listPartiesProfiles: (query, { store, version, hasDefect }) =>
    listProfiles(store.profiles, store.ids, query, { failing: hasDefect("failing-profile-cursors"), version }),
  listBalanceChanges: (query, { store, hasDefect, ...node }) =>
    listBalances(store.balances, store.ids, query, { ...node, unnamedAccounts: hasDefect("lost-balance-changes") }),
  listNodeSignatures: (query, { store }) => listSignatures(store.signatures, store.ids, query),
};

/** The gateway's part: parses the request. The function that it returns is the data node's part. */
type Responder = (query: QueryValues, body: string) => (node: ResponderState) => object;

/** The operations that do not return a list. */
export const responders: { readonly [Id in OperationId]?: Responder } = {
  getSpamStatistics: (query) => {
    const party = query.text("partyId") ?? "";
    return ({ store, chainId, height }) => {
      if (party === "") throw dataNodeError(3, { code: 10006, message: "empty or missing party ID" });
      return { chainId, statistics: store.spamStatistics(party) ?? noStatistics(height) };
    };
  },
  checkTransaction: (_, body) => {
    const transaction = parseTransaction(body);
    const size = transaction?.size ?? 0;
    if (size > largestRequest) throw tooLarge(size, largestRequest);
    return ({ transactions, height, checkCode }) => transactions.check(transaction, height, checkCode);
  },
};

/** The largest message that a node accepts, in bytes: inputData counts without its base64 (observed on v0.74 nodes). */
const largestRequest = 4 * 2 ** 20;
