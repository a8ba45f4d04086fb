import type { Pagination } from "../generated/types.js";

/** Pages from the start of a list to its end. */
export interface Forward extends Pagination {
  last?: undefined;
  before?: undefined;
}

/** Pages from the end of a list to its start. */
export interface Backward extends Pagination {
  first?: undefined;
  after?: undefined;
}
