export type { InfiniteData, InfinitePage, PageStart } from "./infinite-data.js";
export type { PageData } from "./page-data.js";
export { type QueriesOptions, queries } from "./queries.js";
export type { QueryKey } from "./query-key.js";
export type {
  InfiniteQueryOptions,
  ListQuery,
  Mutation,
  MutationOptions,
  Queries,
  Query,
  QueryContext,
  QueryOptions,
  SwrArguments,
} from "./types.js";
