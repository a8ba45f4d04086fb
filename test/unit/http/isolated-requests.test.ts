import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Permit, RateLimiter } from "../../../src/http/rate-limiter.js";
import { ManualClock } from "../../support/manual-clock.js";
import { runs } from "../../support/runs.js";

/** A request of a runtime that isolates requests. */
interface Request {
  /** Its timers do not fire any more. */
  isGone: boolean;
  /** How often it was granted a permit by a timer or a call of another request. */
  wokenByOthers: number;
}

/** Runs requests as workerd does: a timer belongs to the request that has set it, and ends with it. */
class IsolatedClock extends ManualClock {
  readonly #current = new AsyncLocalStorage<Request>();

  constructor() {
    super({ isolatesRequests: true });
  }

  /** The request whose timer or call runs. */
  get current(): Request | undefined {
    return this.#current.getStore();
  }

  start<T>(request: Request, run: () => Promise<T>): Promise<T> {
    return this.#current.run(request, run);
  }

  override after(milliseconds: number, callback: () => void): () => void {
    const request = this.current;
    return super.after(milliseconds, () => {
      if (request === undefined) return callback();
      if (!request.isGone) this.#current.run(request, callback);
    });
  }
}

const rateLimit = { limit: 1000, period: 1000, remaining: 999 };

function setUp() {
  const clock = new IsolatedClock();
  const limiter = new RateLimiter(clock);
  const acquire = (request: Request) =>
    new Promise<Permit | undefined>((resolve) => {
      limiter.queue(30_000, (permit) => {
        if (clock.current !== request) request.wokenByOthers++;
        resolve(permit);
      });
    });
  /** A request that is sent, and gets its response after some milliseconds. */
  const send = (latency: number) => {
    const request: Request = { isGone: false, wokenByOthers: 0 };
    const response = clock.start(request, async () => {
      const permit = limiter.tryAcquire(30_000) ?? (await acquire(request));
      await clock.sleep(latency);
      if (permit) limiter.release(permit, { ok: true, rateLimit });
    });
    return { request, response };
  };
  return { clock, limiter, send };
}

test("no request is woken by another one", async () => {
  const latencies = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 20, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(latencies, async (each) => {
      const { clock, send } = setUp();
      const sent = each.map(send);
      await clock.run(Promise.all(sent.map(({ response }) => response)));
      expect(sent.reduce((sum, { request }) => sum + request.wokenByOthers, 0)).toBe(0);
      expect(clock.pending).toBe(0);
    }),
    runs(10),
  );
});

test("requests that end without notice, in flight or waiting, take no place from others", async () => {
  const { clock, send } = setUp();
  await clock.run(send(10).response);
  // Ten of them are in flight, the others wait.
  for (const { request } of Array.from({ length: 30 }, () => send(10))) request.isGone = true;
  const start = clock.now();
  await clock.run(send(10).response);
  expect(clock.now() - start).toBeLessThan(3000);
});

test("a request that takes long stays in flight, however many others wait", async () => {
  const { clock, limiter, send } = setUp();
  await clock.run(send(10).response);
  const sent = Array.from({ length: 40 }, () => send(20_000));
  await clock.run(clock.sleep(15_000));
  expect(limiter.tryAcquire(30_000)).toBeUndefined();
  await clock.run(Promise.all(sent.map(({ response }) => response)));
});
