import type { OperationId } from "../../generated/client.js";
import type { ListOperation, Operation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import { sleep } from "../async/abort.js";
import type { Answer } from "../http/call.js";
import type { CallSettings } from "../http/call-options.js";
import { type Expectation, MissingEvidence } from "../http/expectation.js";
import type { CallRequest } from "../http/request.js";
import type { Connection } from "../http/send.js";
import { hasNoBlock } from "../values/block.js";
import { toName } from "../values/names.js";
import { microsecondFrom, toTime } from "../values/times.js";
import { checkTimes, readEnvelope, refuseOthers } from "./envelope.js";
import { completeFrom, judge } from "./judge.js";
import { cursorOf, type EdgePage, type NodePage, type PageRequest, type ReadPage, type ReceivedPage } from "./page.js";
import { withinRange } from "./ranges.js";

/** A list of a node, and how its pages are requested. */
export interface ListReaderOptions<T> {
  connection: Connection;
  /** The name of the method in errors and events. */
  id: string;
  described: OperationId;
  operation: ListOperation<T>;
  call: CallSettings;
  /** The statuses with which a node rejects every cursor of the list, so that a retry does not help. */
  finalStatuses?: CallRequest["finalStatuses"];
  /** How long a block is waited for, in milliseconds. */
  catchUp: number;
}

function sendPage<T>(
  { connection, id, described, operation: { envelope, enums, range }, call, finalStatuses }: ListReaderOptions<T>,
  filters: CheckedArguments,
  request: PageRequest,
  expectation: Expectation,
  signal: AbortSignal,
): Promise<Answer<ReceivedPage<T>>> {
  const { pagination, start, end } = request;
  const params = { ...filters, ...rangeOf(range, start, end), pagination };
  const read = (body: { [name: string]: EdgePage<T> | null | undefined }) => {
    const page = readEnvelope(body[envelope], pagination);
    if (page === undefined) return undefined;
    const edges = enums ? withEnumNames(page.edges, enums) : page.edges;
    refuseOthers(edges, filters);
    if (range) checkTimes(edges, request);
    return { edges, pageInfo: page.pageInfo, request };
  };
  const final = cursorOf(pagination) === undefined ? undefined : { finalStatuses };
  return connection.send({ operation: id, described, ...final, ...call, read, params, signal, expectation });
}

/**
 * Replaces the numbers of enumerations by their names: a node sends the number of a name that its version does not
 * have, such as 24 for `ACCOUNT_TYPE_REWARD_AVERAGE_POSITION` (observed on v0.79 nodes).
 */
function withEnumNames<T>(edges: EdgePage<T>["edges"], enums: NonNullable<ListOperation<never>["enums"]>) {
  return edges.map((edge) => {
    const record = edge.node as Record<string, unknown>;
    const numbers = Object.entries(enums).filter(([member]) => typeof record[member] === "number");
    if (numbers.length === 0) return edge;
    const names = numbers.map(([member, enumeration]) => [member, toName(enumeration, record[member])]);
    return { ...edge, node: { ...record, ...Object.fromEntries(names) } as T };
  });
}

/** Rounds the end up: nodes cut it to microseconds, and would leave out the records of the last one. */
function rangeOf(range: Operation["range"], start?: bigint, end?: bigint): CheckedArguments {
  if (range === undefined) return {};
  const [group = "", first = ""] = range.start.split(".");
  const [, last = ""] = range.end.split(".");
  return {
    [group]: {
      [first]: start?.toString(),
      [last]: end === undefined ? undefined : String(toTime(microsecondFrom(end))),
    },
  };
}

/**
 * Returns a function that reads pages of the records that filters select. A pool judges responses itself. Behind one
 * address, any of them can come from another node, so a response that lacks something is requested again.
 *
 * A page whose history is too short is returned if no response shows more: its `completeFrom` tells.
 */
export function pageReader<T>(options: ListReaderOptions<T>, filters: CheckedArguments): ReadPage<T> {
  const { connection, operation } = options;
  const { session, isPool } = connection;
  const read: ReadPage<T> = (request, expectation, signal) => {
    const attempt = async () => {
      const reply = await sendPage(options, filters, request, expectation, signal);
      session.sendsBlocks ||= reply.block !== undefined;
      // A pool judges what nodes send. Middleware can have sent something else.
      const missing = judge(expectation, reply, !isPool && session.sendsBlocks);
      if (missing && missing !== "history") throw new MissingEvidence(missing, reply.block);
      const { data, response, block, stale, node } = reply;
      const { edges, pageInfo } = data;
      const page = { edges, pageInfo, extra: { response, block, stale }, node, completeFrom: completeFrom(data) };
      return { page, lacksHistory: !isPool && missing === "history" && expectation.historyFrom !== 0n };
    };
    return untilShown(attempt, options, signal);
  };
  return operation.range ? withinRange(read, connection) : read;
}

/** How often a request is repeated at once: behind one address, the next node may have the missing evidence. */
const repeats = 3;
const [shortestWait, longestWait] = [250, 1000];

/**
 * Repeats a request until its response meets the expectation: a block is waited for, a place or a longer history is
 * requested again at once.
 *
 * @throws {@link MissingEvidence} if no response shows it.
 */
async function untilShown<T>(
  send: () => Promise<{ page: NodePage<T>; lacksHistory: boolean }>,
  { connection: { clock }, catchUp }: Pick<ListReaderOptions<T>, "connection" | "catchUp">,
  signal: AbortSignal,
): Promise<NodePage<T>> {
  let deadline: number | undefined;
  let misses = 0;
  let longest: NodePage<T> | undefined;
  for (let count = 0; ; count++) {
    try {
      const { page, lacksHistory } = await send();
      longest = longest && longest.completeFrom <= page.completeFrom ? longest : page;
      if (!lacksHistory || count >= repeats) return lacksHistory ? longest : page;
    } catch (error) {
      if (!MissingEvidence.is(error)) throw error;
      deadline ??= clock.now() + catchUp;
      // A node without a block takes minutes until its first one.
      const isBehind = error.missing === "block" && !hasNoBlock(error.block);
      if (isBehind ? clock.now() >= deadline : misses++ >= repeats) {
        if (longest) return longest;
        throw error;
      }
      const wait = count < repeats || !isBehind ? 0 : Math.min(longestWait, shortestWait * 2 ** (count - repeats));
      await sleep(clock, Math.min(wait, Math.max(1, deadline - clock.now())), signal);
    }
  }
}
