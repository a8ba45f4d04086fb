import type { Clock } from "../../src/async/clock.js";
import { createFakeNode } from "../../src/testing/index.js";
import { baseUrl } from "./raw-requests.js";

/** How a node limits the rate of requests. */
export interface NodeLimits {
  /** Requests in a second, which is the period. */
  rate?: number;
  /** Tokens that the bucket holds. */
  burst?: number;
  /** The time at which tokens are added, all of a second at once. Default: they are added one by one. */
  step?: number | undefined;
}

/** A fake node that limits the rate on a clock, and counts what it does with the requests. */
export function createLimitedNode(clock: Clock, { rate = 20, burst = 100, step }: NodeLimits = {}) {
  const count = { served: 0, rejected: 0, banned: 0 };
  const now = () => (step === undefined ? clock.now() : Math.floor((clock.now() - step) / 1000) * 1000 + step);
  const node = createFakeNode({}, { now, rateLimit: { rate, burst, refusals: 20 } });
  return {
    count,
    configure: node.configure,
    fetch: async (request: Request): Promise<Response> => {
      const response = await node.fetch(request);
      count[response.status === 429 ? "rejected" : response.status === 403 ? "banned" : "served"]++;
      return response;
    },
    /** Another client takes all tokens. */
    empty: async (): Promise<void> => {
      let remaining: string | null;
      do {
        const { headers } = await node.fetch(`${baseUrl}/statistics/spam/a`);
        remaining = headers.get("RateLimit-Remaining");
      } while (Number(remaining) > 0);
    },
  };
}
