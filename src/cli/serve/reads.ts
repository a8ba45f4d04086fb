import type { OperationMethods } from "../../../generated/client.js";
import type { Transaction } from "../../../generated/types.js";
import { systemClock } from "../../async/clock.js";
import { sleep } from "../../async/sleep.js";
import type { VegaClient } from "../../client/client.js";
import type { Call } from "../../http/call.js";
import type { ListId } from "../../pagination/list-operation.js";
import { readParameters } from "./arguments.js";
import { readPageRequest, type ServedPage } from "./lists.js";
import { readPage } from "./pages.js";
import { Rejection, type Reply, replyWith, unavailable } from "./replies.js";
import type { Route } from "./routes.js";

/** How long a page waits for a node that has reached the block of the pages before it, in milliseconds. */
const catchUp = 10_000;

/** Reads what a GET request wants. */
export async function read(
  client: VegaClient,
  route: Route,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Reply> {
  const { id, operation, parameters } = route;
  const argument = readParameters(operation, query, parameters);
  if (operation.kind === "single") {
    const call = client[id as Exclude<keyof OperationMethods, ListId>] as (
      argument: object,
      options: object,
    ) => Call<object>;
    const result = await call(argument, { signal }).withResponse();
    return replyWith(result.data, result);
  }
  const request = readPageRequest(client, id as ListId, argument, signal);
  const page = await atBlock(() => readPage(request), request.cursor?.block, signal);
  const body = { [operation.envelope ?? ""]: { edges: page.edges, pageInfo: page.pageInfo } };
  return replyWith(body, page.source, page.isFinal);
}

/** Reads a page again until it is of a node that has reached a block. */
async function atBlock(
  read: () => Promise<ServedPage>,
  block: string | undefined,
  signal: AbortSignal,
): Promise<ServedPage> {
  const deadline = performance.now() + catchUp;
  for (let count = 0; ; count++) {
    const page = await read();
    const reached = page.source.block?.height;
    if (block === undefined || reached === undefined || reached >= BigInt(block)) return page;
    if (performance.now() >= deadline) {
      throw unavailable(
        `Block ${block}, of which the page before was, is not reached: the node is at block ${reached}.`,
      );
    }
    // Another node may have it. If none has, one will.
    if (count > 2) await sleep(systemClock, 250, signal);
  }
}

/** Checks a transaction. Nodes respond with a result also to a body without one. */
export async function check(client: VegaClient, text: string, signal: AbortSignal): Promise<Reply> {
  const body = parse(text);
  const { tx } = (body ?? {}) as { tx?: unknown };
  if (typeof tx === "object" && tx !== null) {
    const result = await client.checkTransaction({ tx: tx as Transaction }, { signal }).withResponse();
    return replyWith(result.data, result);
  }
  const { data, error, response } = await client.http.POST("/transaction/check", { body: body as never, signal });
  const reply = replyWith(data ?? error ?? {}, { block: undefined, stale: false, response });
  return { ...reply, status: response.status };
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Rejection(3, "Expected a body of JSON.");
  }
}
