/**
 * The client for one node or several, its lists, scans, errors and values.
 *
 * @module vegaprotocol-client
 */
export * from "../generated/public.js";
export { createClient, type VegaClient } from "./client/client.js";
export type { ClientOptions, OptionOverrides } from "./client/client-options.js";
export { type FetchPage, type Listing, type ListingOptions, type Page, paginate, type Walk } from "./client/listing.js";
export type { Scan, ScanBalanceChangesArguments } from "./client/scan.js";
export {
  ApiError,
  ArgumentError,
  ConnectionError,
  type Coverage,
  PaginationError,
  RateLimitError,
  ResponseError,
  type Resume,
  type SentRequest,
  TimeoutError,
  VegaError,
} from "./errors/index.js";
export type { Answer, Call } from "./http/call.js";
export type { AttemptOptions, CallOptions, RetryOptions } from "./http/call-options.js";
export type { ObserverEvent } from "./http/events.js";
export type { Edge, PageContent, WalkPage } from "./list/page.js";
export type { WalkOptions } from "./list/walk-options.js";
export type { ScanOptions } from "./scan/scan-options.js";
export type { Block } from "./values/block.js";
export { type NanosecondTime, toBytes, toDate, toNanoseconds } from "./values/times.js";
export { formatUnits, parseUnits } from "./values/units.js";
