export { ApiError, isTooLarge, RateLimitError, type SentRequest, summarize } from "./api-error.js";
export { describe, toPlainError } from "./describe.js";
export { PaginationError } from "./pagination-error.js";
export { ArgumentError, ConnectionError, ResponseError, TimeoutError } from "./request-errors.js";
export { annotate, atCaller, VegaError } from "./vega-error.js";
