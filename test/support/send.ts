import { defaultSettings, type Settings } from "../../src/http/call-options.js";
import type { RequesterOptions } from "../../src/http/requester.js";
import { createRequester } from "../../src/http/requester.js";
import type { AttemptInit } from "../../src/http/route.js";
import { baseUrl } from "./raw-requests.js";

/** An operation that sends one request and returns the body of the response. */
const route = {
  operation: "test",
  attempt: async (_: object, init: AttemptInit) => {
    const response = await init.fetch(new Request(`${baseUrl}/statistics/spam/a`));
    return response.ok ? { response } : { error: await response.json(), response };
  },
  read: (body: object) => body,
};

/** Creates a requester without jitter, and returns a function that makes one call with it. */
export function createSend(options: RequesterOptions, settings: Partial<Settings> = {}) {
  const requester = createRequester({ random: () => 0.5, ...options });
  return (signal?: AbortSignal) =>
    requester.send({ ...route, params: {}, settings: { ...defaultSettings, ...settings }, signal, headers: undefined });
}
