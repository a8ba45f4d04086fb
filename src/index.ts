export {
  type AccountType,
  accountTypes,
  isAccountType,
  isNodeSignatureKind,
  isTransactionVersion,
  isVoteValue,
  type NodeSignatureKind,
  nodeSignatureKinds,
  type TransactionVersion,
  transactionVersions,
  type VoteValue,
  voteValues,
} from "../generated/enums.js";
export type { components, operations, paths } from "../generated/openapi.js";
export type {
  BalanceChange,
  BalanceChangesDateRange,
  BalanceChangesFilter,
  CheckTransactionRequest,
  ErrorBody,
  ErrorDetail,
  GetSpamStatisticsQuery,
  MarketShareWeight,
  Metadata,
  NodeSignature,
  PageInfo,
  Pagination,
  PartyProfile,
  PassedTransactionCheck,
  ProofOfWork,
  ProofOfWorkBlockState,
  ProofOfWorkStatistics,
  ProposalVoteCount,
  RefusedTransactionCheck,
  SpamCounter,
  SpamStatistics,
  SpamStatisticsResponse,
  Transaction,
  TransactionCheckResult,
  TransactionSignature,
  Vote,
  VoteSpamStatistics,
} from "../generated/types.js";
export {
  createClient,
  type Listing,
  type ListingOptions,
  type Page,
  type ScanOptions,
  type VegaClient,
} from "./client.js";
export {
  ApiError,
  ArgumentError,
  type CodeName,
  ConnectionError,
  PaginationError,
  RateLimitError,
  ResponseError,
  type SentRequest,
  TimeoutError,
  VegaError,
} from "./errors/index.js";
export type {
  AttemptEvent,
  ObservedError,
  ObserverEvent,
  PauseEvent,
  ResponseEvent,
  RetryEvent,
} from "./http/events.js";
export type { Answer, Block, Call } from "./http/index.js";
export {
  type Edge,
  type FetchPage,
  type PageContent,
  paginate,
  type Walk,
  type WalkOptions,
  type WalkPage,
} from "./listing.js";
export type { AttemptOptions, CallOptions, ClientOptions, HeaderValues, RetryOptions, Validate } from "./options.js";
export type { Backward, Forward } from "./pagination.js";
export type {
  BalanceChangesInRange,
  BalanceChangesScanQuery,
  ProfilesOfParties,
  SignaturesOfResource,
  VotesOfParty,
  VotesOnProposal,
} from "./query.js";
export type { Scan, ScanWalkOptions } from "./scan.js";
export { type NanosecondTime, toBytes, toDate, toNanoseconds } from "./values.js";
