export { ApiError, type CodeName, isTooLarge, type SentRequest } from "./api-error.js";
export { ArgumentError } from "./argument-error.js";
export { ConnectionError } from "./connection-error.js";
export { PaginationError } from "./pagination-error.js";
export { RateLimitError } from "./rate-limit-error.js";
export { ResponseError } from "./response-error.js";
export { summarize } from "./summarize.js";
export { TimeoutError } from "./timeout-error.js";
export { VegaError } from "./vega-error.js";
