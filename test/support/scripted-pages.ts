import { type Expectation, MissingEvidence } from "../../src/http/expectation.js";
import type { BalanceChange } from "../../src/index.js";
import { completeFrom } from "../../src/list/judge.js";
import type { NodePage, PageRequest, ReadPage } from "../../src/list/page.js";
import { changesAt } from "./records.js";

type Content = Partial<NodePage<BalanceChange>> & { block?: bigint | undefined; more?: boolean; newestFirst?: boolean };

/** A page of records at some times, newest first unless it says otherwise. */
export function pageAt(times: readonly bigint[], content: Content = {}) {
  const { block: timestamp, more = false, newestFirst, ...members } = content;
  const edges = times.flatMap((time) => changesAt([time])).map((node) => ({ cursor: node.timestamp, node }));
  const pageInfo = { startCursor: "", endCursor: "end", hasNextPage: more, hasPreviousPage: false };
  const block = timestamp === undefined ? undefined : { height: 1n, timestamp };
  const from = completeFrom({ edges, pageInfo, request: { pagination: { newestFirst } } });
  return { edges, pageInfo, extra: { response: new Response(), block, stale: false }, completeFrom: from, ...members };
}

/** Reads the given pages, one with each request. `undefined` means that no response meets the expectation. */
export function script(pages: readonly (NodePage<BalanceChange> | Error | undefined)[]) {
  const [requests, expectations]: [PageRequest[], Expectation[]] = [[], []];
  const read: ReadPage<BalanceChange> = async (request, expectation) => {
    expectations.push(expectation);
    const page = pages[requests.push(request) - 1] ?? new MissingEvidence("place");
    if (page instanceof Error) throw page;
    return page;
  };
  return { read, requests, expectations };
}
