export type { Backward, Forward } from "../generated/types.js";

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
