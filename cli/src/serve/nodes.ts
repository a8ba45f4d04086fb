import { setTimeout as sleep } from "node:timers/promises";
import type { NodePool } from "vegaprotocol-client/pool";
import { latest } from "../times.js";
import { Rejection } from "./errors.js";

/** Milliseconds to wait for a block, between two checks of the nodes, and for a check. */
const [patience, interval, timeout] = [8000, 500, 2000];

/** How far a block may be after the blocks of all nodes and still be waited for, in nanoseconds. */
const lead = 60_000_000_000n;

/** The state of the gateway's nodes. Times are Unix nanoseconds. */
export function watchNodes(pool: Pick<NodePool, "check" | "status">, now: () => number) {
  let checked: { at: number; done: Promise<unknown> } | undefined;

  /** Sends a read to every node, at most twice a second, however many callers want to know. */
  function check(): Promise<unknown> {
    if (checked === undefined || now() - checked.at >= interval) {
      checked = { at: now(), done: pool.check({ timeout }).catch(() => []) };
    }
    return checked.done;
  }

  const ready = () => pool.status.filter(({ state }) => state === "ready");

  /** Whether a node has reached a time. Nodes without block headers count as such. */
  const hasReached = (time: bigint) => ready().some(({ timestamp = time }) => timestamp >= time);

  /** The time of the latest block that nodes have named; 0 if there is none. */
  const newest = () => latest(0n, ...pool.status.map(({ timestamp }) => timestamp));

  return {
    /** Whether a time is after the latest block that nodes have named. */
    async isAhead(time: bigint): Promise<boolean> {
      if (!hasReached(time)) await check();
      return newest() > 0n && newest() < time;
    },
    nodeAt: (time: bigint) => ready().find(({ timestamp = 0n }) => timestamp >= time)?.url,
    async isReady(): Promise<boolean> {
      await check();
      return ready().length > 0;
    },
    /**
     * Waits until a node has reached a time.
     *
     * @throws a rejection if none does within some seconds, or at once if the time is far ahead of all nodes.
     */
    async waitFor(time: bigint, signal: AbortSignal): Promise<void> {
      const until = now() + patience;
      while (!hasReached(time)) {
        await check();
        // Without a node that is ready, the read fails with the reason.
        if (hasReached(time) || ready().length === 0) return;
        if (time > newest() + lead || now() > until) {
          throw new Rejection(14, "No node has reached the time that the request needs.");
        }
        await sleep(interval / 2, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
  };
}

export type Nodes = ReturnType<typeof watchNodes>;
