import { defaultSettings, type Settings } from "../../src/http/call-options.js";
import type { Transport } from "../../src/http/deadline.js";
import { createEmit, type ObserverEvent } from "../../src/http/events.js";
import { createHttp } from "../../src/http/openapi.js";
import { RateLimiter } from "../../src/http/rate-limiter.js";
import { routeOf } from "../../src/http/request.js";
import { createSend as createSender, resilient } from "../../src/http/send.js";
import { baseUrl } from "./raw-requests.js";

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
  const validate = undefined;
  const deliver = resilient({ fetch, clock, limiter, emit, random, validate });
  const send = createSender({ http: createHttp(baseUrl, fetch), deliver, clock, validate });
  return (signal?: AbortSignal) =>
    send({
      ...routeOf("getSpamStatistics"),
      operation: "test",
      params: { partyId: "aa" },
      read,
      settings: { ...defaultSettings, ...settings },
      headers: {},
      signal,
    });
}
