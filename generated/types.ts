// Written by `npm run generate` from openapi.yaml. Edit that, not this.

import type { AccountType, NodeSignatureKind, TransactionVersion, VoteValue } from "./enums.js";
import type { NanosecondTime } from "../src/values.js";

/** A page of votes. */
export interface ListVotesResponse {
  /** Votes with their cursors, and whether there are more. */
  votes: VoteConnection;
}

/** Votes with their cursors, and whether there are more. */
export interface VoteConnection {
  /** The votes of the page, in the order that was asked for. */
  edges: VoteEdge[];
  /** Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
  pageInfo: PageInfo | null;
}

/** A vote and its place in the list. */
export interface VoteEdge {
  /** The record's place in the list, to page from. Opaque. */
  cursor: string;
  /** The vote, or `null` where the node left it unset. */
  node: Vote | null;
}

/** A vote of a party on a proposal. */
export interface Vote {
  /** The party that voted. */
  partyId: string;
  /** The proposal voted on. */
  proposalId: string;
  /** Time of the vote, in Unix nanoseconds, to the microsecond (observed on v0.74 nodes). */
  timestamp: `${bigint}`;
  /** What was voted. */
  value: VoteValue | (string & {}) | number;
  /** How many governance tokens the party held, as a whole number of the token's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
  totalGovernanceTokenBalance: string;
  /** Weight of the vote by governance tokens, a decimal number (observed on v0.74 nodes). */
  totalGovernanceTokenWeight: string;
  /** Weight of the vote by equity-like share in the market concerned, a decimal number (observed on v0.74 nodes). */
  totalEquityLikeShareWeight: string;
  /** Weight by equity-like share in each market, where the proposal concerns several, as decimal numbers by market id. Sent by v0.74.0 to v0.74.4; later nodes send `elsPerMarket` instead (observed on v0.74 nodes). */
  perMarketEquityLikeShareWeight?: { [name: string]: string } | undefined;
  /** Weight by equity-like share in each market, where the proposal concerns several. Sent from v0.74.5 on (observed on v0.74 nodes). */
  elsPerMarket?: MarketShareWeight[] | undefined;
}

/** Weight of a vote in one market. */
export interface MarketShareWeight {
  /** The market. */
  marketId: string;
  /** Weight by equity-like share in the market, a decimal number. */
  els: string;
}

/** A page of party profiles. */
export interface ListPartiesProfilesResponse {
  /** Profiles with their cursors, and whether there are more. */
  profiles: PartyProfileConnection;
}

/** Profiles with their cursors, and whether there are more. */
export interface PartyProfileConnection {
  /** The profiles of the page, in the order that was asked for. */
  edges: PartyProfileEdge[];
  /** Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
  pageInfo: PageInfo | null;
}

/** A profile and its place in the list. */
export interface PartyProfileEdge {
  /** The record's place in the list, to page from. Opaque. */
  cursor: string;
  /** The profile, or `null` where the node left it unset. */
  node: PartyProfile | null;
}

/** What a party tells of itself. */
export interface PartyProfile {
  /** The party. `network` is the network itself (observed on v0.74 nodes). */
  partyId: string;
  /** The name that the party goes by; empty where it has set none (observed on v0.74 nodes). */
  alias: string;
  /** Whatever else the party tells, as keys and values; empty where it has set none (observed on v0.74 nodes). */
  metadata: Metadata[];
}

/** A key and its value, both chosen by the party. */
export interface Metadata {
  /** What the value is about. */
  key: string;
  /** The value, unchecked by the network. */
  value: string;
}

/** The spam statistics of one party. */
export interface SpamStatisticsResponse {
  /** The chain that the statistics were taken on. */
  chainId: string;
  /** The party's counters and limits in the current epoch. */
  statistics: SpamStatistics | null;
}

/** Counters and limits of one party in one epoch. A member can be `null` where the node has nothing to tell (observed on v0.74 nodes). */
export interface SpamStatistics {
  /** The epoch that the statistics apply to. */
  epochSeq: `${bigint}`;
  /** Transactions that apply a referral code. */
  applyReferralCode: SpamCounter | null;
  /** Transactions that create a referral set. */
  createReferralSet: SpamCounter | null;
  /** Transactions that update a referral set. */
  updateReferralSet: SpamCounter | null;
  /** Delegations. */
  delegations: SpamCounter | null;
  /** Multisig signatures issued for the party. */
  issueSignatures: SpamCounter | null;
  /** Announcements of nodes. */
  nodeAnnouncements: SpamCounter | null;
  /** Proposals. */
  proposals: SpamCounter | null;
  /** Transfers. */
  transfers: SpamCounter | null;
  /** Votes on proposals, counted for each proposal. */
  votes: VoteSpamStatistics | null;
  /** Proof of work that the network asks of the party. */
  pow: ProofOfWorkStatistics | null;
}

/** How many transactions of one kind a party has sent in the epoch, and how many it may send. */
export interface SpamCounter {
  /** Transactions of this kind counted in the epoch. */
  countForEpoch: `${bigint}`;
  /** Transactions of this kind allowed in the epoch. */
  maxForEpoch: `${bigint}`;
  /** When the block ends, in RFC 3339 with up to nine digits of a second. Present only while the party is blocked. */
  bannedUntil?: string | undefined;
  /** Tokens that a party needs at the least to send a transaction of this kind, as a whole number of the token's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
  minTokensRequired: string;
}

/** A party's votes in the epoch, by proposal. */
export interface VoteSpamStatistics {
  /** An entry for each proposal that the party voted on, in no defined order. */
  statistics: ProposalVoteCount[];
  /** Votes allowed in the epoch. */
  maxForEpoch: `${bigint}`;
  /** When the block ends, in RFC 3339 with up to nine digits of a second. Present only while the party is blocked. */
  bannedUntil?: string | undefined;
}

/** A party's votes on one proposal. */
export interface ProposalVoteCount {
  /** The proposal. */
  proposal: string;
  /** Votes counted on the proposal in the epoch. */
  countForEpoch: `${bigint}`;
  /** Tokens that a party needs at the least to vote on the proposal, as a whole number of the token's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
  minTokensRequired: string;
}

/** Proof of work that the network asks of a party. */
export interface ProofOfWorkStatistics {
  /** An entry for each block that a transaction can still be tied to, in no defined order. */
  blockStates: ProofOfWorkBlockState[];
  /** When the block ends, in RFC 3339 with up to nine digits of a second. Present only while the party is blocked. */
  bannedUntil?: string | undefined;
  /** How many past blocks count. */
  numberOfPastBlocks: `${bigint}`;
}

/** Proof of work for transactions that are tied to one block. */
export interface ProofOfWorkBlockState {
  /** Height of the block. */
  blockHeight: `${bigint}`;
  /** Hash of the block, in hexadecimal (observed on v0.74 nodes). */
  blockHash: string;
  /** The party's transactions that were tied to the block. */
  transactionsSeen: `${bigint}`;
  /** Difficulty that the next transaction on the block needs at the least. Absent where no more transactions fit on the block. */
  expectedDifficulty?: `${bigint}` | undefined;
  /** Name of the function that the block's hash was made with, such as `sha3_24_rounds` (observed on v0.74 nodes). */
  hashFunction: string;
  /** Difficulty of the block. */
  difficulty: `${bigint}`;
  /** Transactions that one block allows a party at the plain difficulty. */
  txPerBlock: `${bigint}`;
  /** Whether more transactions are allowed on the block at a growing difficulty. */
  increasingDifficulty: boolean;
}

/** A page of balance changes. */
export interface ListBalanceChangesResponse {
  /** Balance changes with their cursors, and whether there are more. */
  balances: BalanceChangeConnection;
}

/** Balance changes with their cursors, and whether there are more. */
export interface BalanceChangeConnection {
  /** The balance changes of the page, in the order that was asked for. */
  edges: BalanceChangeEdge[];
  /** Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
  pageInfo: PageInfo | null;
}

/** A balance change and its place in the list. */
export interface BalanceChangeEdge {
  /** The record's place in the list, to page from. Opaque. */
  cursor: string;
  /** The balance change, or `null` where the node left it unset. */
  node: BalanceChange | null;
}

/** The balance that an account had from a block on. Which account is told by its asset, party, market and type; the reference calls each of the four set when the list is grouped by it, and v0.74 nodes always send all (observed on v0.74 nodes). */
export interface BalanceChange {
  /** Time of the block, in Unix nanoseconds. */
  timestamp: `${bigint}`;
  /** The balance after the change, as a whole number of the asset's smallest unit. May exceed 64 bits (observed on v0.74 nodes). */
  balance: string;
  /** The party that owns the account; `network` for the network's own (observed on v0.74 nodes). */
  partyId?: string | undefined;
  /** The asset that the account holds. */
  assetId?: string | undefined;
  /** The market that the account belongs to; empty where it belongs to none (observed on v0.74 nodes). */
  marketId?: string | undefined;
  /** What kind of account it is. */
  accountType?: AccountType | (string & {}) | number | undefined;
}

/** A page of node signatures. */
export interface ListNodeSignaturesResponse {
  /** Signatures with their cursors, and whether there are more. */
  signatures: NodeSignatureConnection;
}

/** Signatures with their cursors, and whether there are more. */
export interface NodeSignatureConnection {
  /** The signatures of the page, in the order that was asked for. */
  edges: NodeSignatureEdge[];
  /** Where the page stands in the list. `null` where the node has nothing to say of it; such a page is the last. */
  pageInfo: PageInfo | null;
}

/** A signature and its place in the list. */
export interface NodeSignatureEdge {
  /** The record's place in the list, to page from. Opaque. */
  cursor: string;
  /** The signature, or `null` where the node left it unset. */
  node: NodeSignature | null;
}

/** A signature that a node of the network made for a resource. */
export interface NodeSignature {
  /** The resource that was signed. */
  id: string;
  /** The signature's bytes in base64, or `null` where there are none (observed on v0.74 nodes). */
  sig: string | null;
  /** What kind of resource was signed. */
  kind: NodeSignatureKind | (string & {}) | number;
}

/** Where a page stands in its list. */
export interface PageInfo {
  /** Cursor of the first record of the page; empty where the page is (observed on v0.74 nodes). */
  startCursor: string;
  /** Cursor of the last record of the page; empty where the page is (observed on v0.74 nodes). */
  endCursor: string;
  /** Whether there is a page after this one. */
  hasNextPage: boolean;
  /** Whether there is a page before this one. */
  hasPreviousPage: boolean;
}

/** The transaction to check. */
export interface CheckTransactionRequest {
  /** A signed transaction, as the wallet made it. Which members have to be there is for the node to say: the reference marks none, and a node refuses what it misses with `success: false`. */
  tx: Transaction;
}

/** A signed transaction, as the wallet made it. Which members have to be there is for the node to say: the reference marks none, and a node refuses what it misses with `success: false`. */
export interface Transaction {
  /** How the transaction is laid out. */
  version?: TransactionVersion | (string & {}) | undefined;
  /** The command that was signed, as the wallet encoded it. */
  inputData?: string | undefined;
  /** The public key of the party that signed. */
  pubKey?: string | undefined;
  /** The address of the party that signed, where it signs by address. */
  address?: string | undefined;
  /** A party's signature of a transaction. */
  signature?: TransactionSignature | undefined;
  /** Proof of work of a transaction. */
  pow?: ProofOfWork | undefined;
}

/** A party's signature of a transaction. */
export interface TransactionSignature {
  /** The algorithm that was signed with. */
  algo?: string | undefined;
  /** The signature, as the wallet encoded it. */
  value?: string | undefined;
  /** The algorithm's version. */
  version?: number | undefined;
}

/** Proof of work of a transaction. */
export interface ProofOfWork {
  /** What the work was done for. A node takes each once in a block (observed on v0.74 nodes). */
  tid?: string | undefined;
  /** The number that was found, in digits. */
  nonce?: string | undefined;
}

/** The outcome of a check. `success` tells which of the two it is. */
export type TransactionCheckResult = PassedTransactionCheck | RefusedTransactionCheck;

/** The transaction passed every check. */
export interface PassedTransactionCheck {
  /** Whether the transaction passed. */
  success: true;
  /** Category of the failure; 0 as there is none (observed on v0.74 nodes). */
  code: number;
  /** Nothing, as there is no failure. */
  data: string;
  /** Nothing, as there is no failure. */
  log: string;
  /** Space in a block that the transaction fills. Not a price. */
  gasWanted: `${bigint}`;
  /** Not used. */
  gasUsed: `${bigint}`;
  /** Not used by the reference; v0.74 nodes may repeat the reason here. */
  info: string;
}

/** The transaction would be refused. */
export interface RefusedTransactionCheck {
  /** Whether the transaction passed. */
  success: false;
  /** Category of the failure: 51 validation, 60 decoding or signature, 70 internal, 80 unknown command, 89 spam or proof of work (observed on v0.74 nodes). */
  code: number;
  /** Why the transaction was refused. */
  data: string;
  /** What the consensus layer has to say of it. */
  log: string;
  /** Space in a block that the transaction fills. Not a price. */
  gasWanted: `${bigint}`;
  /** Not used. */
  gasUsed: `${bigint}`;
  /** Not used by the reference; v0.74 nodes may repeat the reason here. */
  info: string;
}

/** What a node answers when it fails. */
export interface ErrorBody {
  /** Status code of gRPC (observed on v0.74 nodes). */
  code: number;
  /** A short word on the failure. The telling one is mostly in `details`. */
  message: string;
  /** What is known of the failure. */
  details: ErrorDetail[];
}

/** A detail of a failure, of any type. The members beside `@type` are those of Vega's own error detail; other types have others (observed on v0.74 nodes). */
export interface ErrorDetail {
  /** What the other members are. */
  "@type": string;
  /** Vega's own number of the failure. */
  code?: number | undefined;
  /** What went wrong. */
  message?: string | undefined;
  /** What was behind it. */
  inner?: string | undefined;
  [member: string]: unknown;
}

/** Which page of a list to get. */
export interface Pagination {
  /** Forward paging: how many records to list, those that come after the cursor `pagination.after` or, without one, the first of the list. At most 5000, and 1000 where no size is given (observed on v0.74 nodes). */
  first?: number | undefined;
  /** Forward paging: the cursor to go on from, which is the `endCursor` of the page before. Not together with `pagination.last` or `pagination.before`. */
  after?: string | undefined;
  /** Backward paging: how many records to list, those that come before the cursor `pagination.before` or, without one, the last of the list. They stay in the order of the list. At most 5000 (observed on v0.74 nodes). */
  last?: number | undefined;
  /** Backward paging: the cursor to go back from, which is the `startCursor` of the page behind. Not together with `pagination.first` or `pagination.after`. */
  before?: string | undefined;
  /** Whether the list begins with its newest record. It does when this is left out. */
  newestFirst?: boolean | undefined;
}

/** What `listVotes` takes. */
export interface ListVotesQuery {
  /** The party whose votes to list. */
  partyId?: string | undefined;
  /** The proposal whose votes to list. */
  proposalId?: string | undefined;
  /** Which page of a list to get. */
  pagination?: Pagination | undefined;
}

/** What `listPartiesProfiles` takes. */
export interface ListPartiesProfilesQuery {
  /** The parties whose profiles to list. Left out, all parties are listed. */
  parties?: readonly string[] | undefined;
  /** Which page of a list to get. */
  pagination?: Pagination | undefined;
}

/** What `getSpamStatistics` takes. */
export interface GetSpamStatisticsQuery {
  /** The party whose statistics to get. */
  partyId: string;
}

/** Which accounts to list. Filters narrow the list together; one that is left out or empty does not. */
export interface BalanceChangesFilter {
  /** List only accounts that hold this asset. */
  assetId?: string | undefined;
  /** List only accounts that these parties own. Left out or empty, accounts of all parties are listed. */
  partyIds?: readonly string[] | undefined;
  /** List only accounts that belong to these markets. Left out or empty, accounts of all markets are listed. */
  marketIds?: readonly string[] | undefined;
  /** List only accounts of these types. Left out or empty, accounts of all types are listed. */
  accountTypes?: readonly AccountType[] | undefined;
}

/** Which time to list, from its start up to its end. */
export interface BalanceChangesDateRange {
  /** Start of the range, in Unix nanoseconds. A change at this very time is listed (observed on v0.74 nodes). */
  startTimestamp?: NanosecondTime | undefined;
  /** End of the range, in Unix nanoseconds. A change at this very time is not listed (observed on v0.74 nodes). */
  endTimestamp?: NanosecondTime | undefined;
}

/** What `listBalanceChanges` takes. */
export interface ListBalanceChangesQuery {
  /** Which accounts to list. Filters narrow the list together; one that is left out or empty does not. */
  filter?: BalanceChangesFilter | undefined;
  /** Which time to list, from its start up to its end. */
  dateRange?: BalanceChangesDateRange | undefined;
  /** Which page of a list to get. */
  pagination?: Pagination | undefined;
}

/** What `listNodeSignatures` takes. */
export interface ListNodeSignaturesQuery {
  /** The resource whose signatures to list, such as the id of an asset or of a withdrawal. */
  id: string;
  /** Which page of a list to get. */
  pagination?: Pagination | undefined;
}
