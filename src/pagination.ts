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

/** What a direction calls things. */
export interface Direction {
  size: "first" | "last";
  cursor: "after" | "before";
  nextCursor: "endCursor" | "startCursor";
  more: "hasNextPage" | "hasPreviousPage";
}

export const forward: Direction = { size: "first", cursor: "after", nextCursor: "endCursor", more: "hasNextPage" };
export const backward: Direction = {
  size: "last",
  cursor: "before",
  nextCursor: "startCursor",
  more: "hasPreviousPage",
};
