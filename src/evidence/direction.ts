import type { Pagination } from "../../generated/client.js";

export type { Backward, Forward } from "../../generated/client.js";

/** The names that a direction uses in requests and responses. */
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

export const directionOf = ({ last, before }: Pagination): Direction =>
  last !== undefined || before !== undefined ? backward : forward;

/** The items of a page in the order of the walk. A page keeps the order of its list, whichever direction it was read in. */
export const inWalkOrder = <T>(items: readonly T[], direction: Direction): readonly T[] =>
  direction === forward ? items : [...items].reverse();

const contradictions = [
  ["first", "last"],
  ["first", "before"],
  ["last", "after"],
  ["after", "before"],
] as const;

/** Two parameters of which nodes silently ignore one (observed on v0.74 nodes); `undefined` if there are none. */
export const contradictionIn = (pagination: Pagination) =>
  contradictions.find(([one, other]) => pagination[one] !== undefined && pagination[other] !== undefined);
