import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { ResponseError } from "../errors/index.js";
import { never } from "../list/judge.js";
import { directionOf, type ReceivedPage } from "../list/page.js";
import { compare, compareDigits, isDigits } from "../values/integers.js";
import { show } from "../values/show.js";
import { microsecondOf } from "../values/times.js";

const { cursors } = operations.listBalanceChanges;

/** The order of balance changes of one time: by their account, of which a node has one balance in a block. */
function compareAccounts(a: BalanceChange, b: BalanceChange): number {
  for (const name of cursors.missingMember.sha256Of) {
    const order = compare(String(a[name] ?? ""), String(b[name] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}

/** The order of a scan: by time, then by account. */
export const compareRecords = (a: BalanceChange, b: BalanceChange): number =>
  compareDigits(a.timestamp, b.timestamp) || compareAccounts(a, b);

export const microsecondAt = ({ timestamp }: Timed): bigint => microsecondOf(BigInt(timestamp));

/** A record of a list that is sorted by time, in Unix nanoseconds. */
type Timed = Pick<BalanceChange, "timestamp">;

/** Refuses a page whose records are not in order of time, or outside of the range by more than two microseconds. */
export function checkPage(
  operation: string,
  { edges, pageInfo, request: { pagination, start = 0n, end = never } }: ReceivedPage<Timed>,
  response: Response,
): void {
  const fail = (what: string, body: unknown): never => {
    const message = `${operation} got ${what} from ${response.url}`;
    throw new ResponseError(message, { operation, attempts: 1, response, body });
  };
  if (edges.length === 0 && pageInfo?.[directionOf(pagination).more])
    fail("an empty page that reports a next page", []);
  // Nodes compare microseconds.
  const [earliest, latest] = [start - 2000n, end + 2000n];
  const isDown = pagination.newestFirst !== false;
  let previous = isDown ? latest : earliest;
  for (const { node } of edges) {
    if (!isDigits(node.timestamp)) fail(`a record with the timestamp ${show(node.timestamp)}`, node);
    const time = BigInt(node.timestamp);
    if (time < earliest || time > latest) fail("records outside of the requested range", node);
    if (isDown ? time > previous : time < previous) fail("records that are out of order", node);
    previous = time;
  }
}
