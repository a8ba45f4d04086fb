import type { FollowerKind } from "../../src/follow/follower.js";
import type { FollowOptions } from "../../src/follow/options.js";
import { PollingFollower } from "../../src/follow/polling-follower.js";
import { createClient } from "../../src/index.js";
import { createFakeNode, type FakeNode, type FakeNodeData, nodeDefects } from "../../src/testing/index.js";
import { ManualClock } from "./manual-clock.js";
import { addressOn } from "./worlds/clock.js";

/** What responds to requests. */
export type Served = { fetch(request: Request): Promise<Response> };

/**
 * What a test of a follower needs: a client without retries of its own, a clock, and what passes between client and node.
 *
 * @param latency - Milliseconds from a request to its response.
 */
export function followSetting(fetch: Served["fetch"], latency = 0) {
  const clock = new ManualClock();
  /** The requests, each with the time at which it was sent. */
  const requests: { time: number; url: URL }[] = [];
  let inFlight = 0;
  const client = createClient({
    baseUrl: addressOn("https://node.example", clock, () => 1),
    retry: false,
    pacing: false,
    async fetch(request) {
      requests.push({ time: clock.now(), url: new URL(request.url) });
      if (latency > 0) await clock.sleep(latency / 2);
      inFlight++;
      const response = await fetch(request).finally(() => {
        inFlight--;
      });
      if (latency > 0) await clock.sleep(latency / 2);
      return response;
    },
  });
  // Time stands still while a request is in flight.
  const run = <T>(promise: Promise<T>): Promise<T> => clock.run(promise, () => inFlight > 0);
  return { client, clock, random: () => 1, requests, run };
}

/** A follower of a node on a setting of its own, and a function that takes some of its batches. */
export function followerOf<Query, S, B extends { records: readonly unknown[]; resume?: `${bigint}` }, V>(
  kind: FollowerKind<Query, S, B, V>,
  node: Served,
  query: Query,
  options: FollowOptions = {},
  pageSize = 5000,
) {
  const setting = followSetting(node.fetch);
  const follower = new PollingFollower(kind, setting.client, query, options, { ...setting, pageSize });
  return { ...setting, follower, take: (count: number) => setting.run(take(follower.batches(), count)) };
}

/** Takes a number of values of an iterator. */
export async function take<T>(iterator: AsyncIterator<T, undefined>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** The time of a block that begins a number of seconds after the first one. */
export const timeAt = (seconds: number): bigint => (1_700_000_000n + BigInt(seconds)) * 1_000_000_000n;

const blockAt = (seconds: number) => ({ height: BigInt(seconds), timestamp: timeAt(seconds) });

/** A node whose current block begins at a second. */
export const nodeAt = (seconds: number, data: FakeNodeData = { votes: [] }): FakeNode =>
  createFakeNode({ ...data, block: blockAt(seconds) }, { defects: nodeDefects, rateLimit: false });

/** Ends the current block, with records in it; the next one begins at a second. */
export const endBlock = (node: FakeNode, seconds: number, data: FakeNodeData = {}): void =>
  node.nextBlock({ ...data, block: blockAt(seconds) });

/** A batch that is complete up to a second. */
export function batchOf(records: readonly object[], seconds: number) {
  return { records, upTo: timeAt(seconds), resume: `${timeAt(seconds)}` };
}
