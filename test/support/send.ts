import { defaultSettings, type Settings } from "../../src/http/call-options.js";
import { createEmit, type ObserverEvent } from "../../src/http/events.js";
import { RateLimiter } from "../../src/http/rate-limiter.js";
import { sendCall, type Transport } from "../../src/http/requester.js";
import type { AttemptInit } from "../../src/http/route.js";
import { baseUrl } from "./raw-requests.js";

/** An operation that sends one request and returns the body of the response. */
const route = {
  operation: "test",
  attempt: async (_: object, init: AttemptInit) => {
    const response = await init.fetch(new Request(`${baseUrl}/statistics/spam/a`));
    return response.ok ? { response } : { error: await response.json(), response };
  },
};

interface SendOptions extends Pick<Transport, "fetch" | "clock"> {
  observe?: (event: ObserverEvent) => void;
  random?: () => number;
  read?: (body: object) => object | undefined;
}

/** Returns a function that makes one call through a rate limiter that knows nothing of the node yet. */
export function createSend(
  { fetch, clock, observe, random = () => 0.5, read = (body) => body }: SendOptions,
  settings: Partial<Settings> = {},
) {
  const limiter = new RateLimiter(clock);
  const emit = createEmit(observe, clock);
  const transport = { fetch, clock, limiter, emit, random, validate: undefined };
  return (signal?: AbortSignal) =>
    sendCall(transport, {
      ...route,
      read,
      params: {},
      settings: { ...defaultSettings, ...settings },
      headers: {},
      signal,
    });
}
