import { defaultSettings, type Settings } from "../../src/http/call-options.js";
import type { ObserverEvent } from "../../src/http/events.js";
import { createHttp } from "../../src/http/openapi.js";
import { RateLimiter } from "../../src/http/rate-limiter.js";
import type { Transport } from "../../src/http/request.js";
import { connectTo } from "../../src/http/send.js";
import { baseUrl } from "./raw-requests.js";

interface SendOptions extends Pick<Transport, "fetch" | "clock"> {
  observe?: (event: ObserverEvent) => void;
  random?: () => number;
  read?: (body: object) => object | undefined;
}

/** Returns a function that makes one call through a rate limiter that knows nothing of the node yet. */
export function createSend(given: SendOptions, settings: Partial<Settings> = {}) {
  const { fetch, clock, observe, random = () => 0.5, read = (body: object) => body } = given;
  const limiter = new RateLimiter(clock);
  const http = createHttp(baseUrl, fetch);
  const options = { fetch, validate: undefined, limiter, session: {}, http, headers: {}, observe, pacing: true };
  const { send } = connectTo(options, clock, random);
  const call = { described: "getSpamStatistics", operation: "test", params: { partyId: "aa" }, headers: {} } as const;
  return (signal?: AbortSignal) => send({ ...call, read, settings: { ...defaultSettings, ...settings }, signal });
}
