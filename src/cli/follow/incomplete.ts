import { PaginationError } from "../../errors/index.js";
import { IncompleteError } from "../exit.js";
import { formatTime } from "../output/columns.js";

/** The error of a follower that cannot reach records; any other error as it is. */
export function withIncompleteness(error: unknown, isFile: boolean): unknown {
  if (!PaginationError.is(error) || error.availableFrom === undefined) return error;
  const time = formatTime(error.availableFrom);
  const reason =
    error.reason === "gap"
      ? "More votes were written in one block than requests can reach. List the votes by party"
      : `The balance changes of the node begin at ${time}, after the last position. Use a node that keeps a longer history`;
  const where = isFile ? " into another file" : "";
  return new IncompleteError(`${reason}, or accept that records are missing and follow${where} with --from ${time}.`, {
    cause: error,
  });
}
