import type { CheckedArguments } from "../arguments/read-arguments.js";
import { sleep } from "../async/abort.js";
import { hasNoBlock } from "../http/call.js";
import { NotShown } from "../http/expectation.js";
import { completeFrom, judge } from "./judge.js";
import type { NodePage, ReadPage, ReceivedPage } from "./page.js";
import { withinRange } from "./ranges.js";
import { type NodeList, sendPage } from "./sender.js";

export interface ListReaderOptions<T> extends NodeList<T> {
  /** How long a block is waited for, in milliseconds. */
  catchUp: number;
  /** Throws if a page cannot be a response to its request. */
  check?(page: ReceivedPage<T>, response: Response): void;
}

/**
 * Returns a function that reads pages of the records that filters select. A pool judges responses itself. Behind one address, any of
 * them can come from another node, so a response that lacks something is requested again.
 *
 * A page whose history is too short is returned if no response shows more: its `completeFrom` tells.
 */
export function pageReader<T>(options: ListReaderOptions<T>, filters: CheckedArguments): ReadPage<T> {
  const { connection, operation, check } = options;
  const { session, isPool } = connection;
  const read: ReadPage<T> = (request, expectation, signal) => {
    const attempt = async () => {
      const reply = await sendPage(options, filters, request, expectation, signal);
      session.namesBlocks ||= reply.block !== undefined;
      const lack = isPool ? undefined : judge(expectation, reply, session.namesBlocks);
      if (lack && lack !== "history") throw new NotShown(lack, reply);
      const { data, response, block, stale, node } = reply;
      check?.(data, response);
      const { edges, pageInfo } = data;
      const page = { edges, pageInfo, extra: { response, block, stale }, node, completeFrom: completeFrom(data) };
      return { page, isShort: lack === "history" && (expectation.historyFrom ?? 0n) > 0n };
    };
    return untilShown(attempt, options, signal);
  };
  return operation.range ? withinRange(read, connection) : read;
}

/** How often a request is repeated at once: behind one address, the next node may have what this one lacks. */
const [repeats, repeatsForHistory] = [2, 3];
const [shortestWait, longestWait] = [250, 1000];

/**
 * Repeats a request until its response shows what is expected: a block is waited for, a place or a longer history is requested again at
 * once.
 *
 * @throws {@link NotShown} if no response shows it.
 */
async function untilShown<T>(
  send: () => Promise<{ page: NodePage<T>; isShort: boolean }>,
  { connection: { clock }, catchUp }: Pick<ListReaderOptions<T>, "connection" | "catchUp">,
  signal: AbortSignal,
): Promise<NodePage<T>> {
  let deadline: number | undefined;
  let isBehind = false;
  let longest: NodePage<T> | undefined;
  for (let count = 0; ; count++) {
    try {
      const { page, isShort } = await send();
      longest = longest && longest.completeFrom <= page.completeFrom ? longest : page;
      if (!isShort || count >= repeatsForHistory) return isShort ? longest : page;
    } catch (error) {
      if (!NotShown.is(error)) throw error;
      deadline ??= clock.now() + catchUp;
      // A node that has the place may only have to catch up. One without a block takes minutes until its first one.
      isBehind ||= error.lack === "block" && !hasNoBlock(error.shown?.block);
      if (isBehind ? clock.now() >= deadline : count >= repeats) {
        if (longest) return longest;
        throw error;
      }
      const wait = count < repeats ? 0 : Math.min(longestWait, shortestWait * 2 ** (count - repeats));
      if (wait > 0) await sleep(clock, Math.min(wait, Math.max(1, deadline - clock.now())), signal);
    }
  }
}
