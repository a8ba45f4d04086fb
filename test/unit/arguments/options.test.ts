import { describe, expect, test } from "vitest";
import { type CallOptions, type ClientOptions, createClient } from "../../../src/index.js";
import { respondWith } from "../../support/recorder.js";

const baseUrl = "https://node.example";
const positive = "to be a positive number of milliseconds up to 2147483647, or Infinity, got";
const bytes = "to be a positive integer of bytes, or Infinity, got";
const waits = "`attempts`, `baseDelay`, `maxDelay`, `maxRetryAfter`";
const ofCalls = "`timeout`, `totalTimeout`, `retry`, `maxResponseSize`";
const milliseconds = "to be a number of milliseconds from 0 to 2147483647, got";

/** Options that a client and a call have in common, and what is expected of the last one. */
const common: [options: object, argument: string, message: string][] = [
  [{ timeout: "5s" }, "timeout", `${positive} "5s".`],
  [{ timeout: 0 }, "timeout", `${positive} 0.`],
  [{ timeout: 2 ** 31 }, "timeout", `${positive} 2147483648.`],
  [{ totalTimeout: -1 }, "totalTimeout", `${positive} -1.`],
  [{ maxResponseSize: 1.5 }, "maxResponseSize", `${bytes} 1.5.`],
  [{ maxResponseSize: "64 MiB" }, "maxResponseSize", `${bytes} "64 MiB".`],
  [{ retry: true }, "retry", "to be an object or false, got true."],
  [{ retry: null }, "retry", "to be an object or false, got null."],
  [{ retry: { attempts: 0 } }, "retry.attempts", "to be a positive integer, got 0."],
  [{ retry: { baseDelay: -1 } }, "retry.baseDelay", `${milliseconds} -1.`],
  [{ retry: { maxDelay: "8" } }, "retry.maxDelay", `${milliseconds} "8".`],
  [{ retry: { maxRetryAfter: Number.NaN } }, "retry.maxRetryAfter", `${milliseconds} NaN.`],
  [{ retry: { retries: 3 } }, "retry.retries", `retry has no option \`retries\`. Expected ${waits}.`],
  [{ headers: { "bad name": "x" } }, "headers", "to be names and values that HTTP allows."],
  [{ headers: { authorization: "sec\nret" } }, "headers", "to be names and values that HTTP allows."],
  [{ headers: null }, "headers", "to be an object, Headers or pairs."],
  [{ headers: Promise.resolve({}) }, "headers", "to be an object, Headers or pairs."],
  // It can be a secret.
  [{ headers: "a: 1" }, "headers", "to be an object, Headers or pairs."],
];

describe("createClient rejects invalid options:", () => {
  const ofClients = "`baseUrl`, `headers`, `fetch`, `pacing`, `observe`, `validate`";
  const pool = "`nodePool(urls)` of vegaprotocol-client/pool";
  test.each([
    ...common,
    [{ fetch: "fetch" }, "fetch", 'to be a function, got "fetch".'],
    [{ pacing: "yes" }, "pacing", 'to be a boolean, got "yes".'],
    [{ observe: {} }, "observe", "to be a function, got an object."],
    [{ validate: true }, "validate", "to be a function, got true."],
    [{ tiemout: 5 }, "tiemout", "createClient has no option `tiemout`. Did you mean `timeout`?"],
    [{ timeOut: 5 }, "timeOut", "createClient has no option `timeOut`. Did you mean `timeout`?"],
    [{ retries: 3 }, "retries", "createClient has no option `retries`. Did you mean `retry`?"],
    [{ agent: {} }, "agent", `createClient has no option \`agent\`. Expected ${ofCalls}, ${ofClients}.`],
    [{ baseUrl: [baseUrl] }, "baseUrl", `to be one address, or for several nodes ${pool}, got an array.`],
  ] as typeof common)("%j", (options, argument, expected) => {
    const message = expected.startsWith("to be") ? `Expected \`${argument}\` ${expected}` : expected;
    const error = expect.objectContaining({ name: "ArgumentError", argument, message });
    expect(() => createClient({ baseUrl, ...options } as ClientOptions)).toThrow(error);
  });

  const { signal } = new AbortController();
  test.each([undefined, null, "https://node.example", signal, new Map()])("%j instead of options", (options) => {
    const message = expect.stringContaining("Expected the options of createClient to be a plain object, got");
    const error = expect.objectContaining({ name: "ArgumentError", message });
    expect(() => createClient(options as never)).toThrow(error);
  });
});

const operation = "getSpamStatistics";
const others = "`signal`, `headers`, `node`";
test.each([
  ...common,
  [{ signal: "x" }, "signal", 'to be an AbortSignal, got "x".'],
  [{ signal: { aborted: false } }, "signal", "to be an AbortSignal, got an object."],
  [{ signal: null }, "signal", "to be an AbortSignal, got null."],
  [{ maxItems: 5 }, "maxItems", `${operation} has no option \`maxItems\`. Expected ${ofCalls}, ${others}.`],
] as typeof common)("a call rejects invalid options, and sends nothing: %j", async (options, argument, expected) => {
  const { fetch, sent } = respondWith({ chainId: "", statistics: null });
  const client = createClient({ baseUrl, fetch });
  const call = client.getSpamStatistics({ partyId: "aa" }, options as CallOptions);
  const message = expected.startsWith("to be") ? `Expected \`${argument}\` of ${operation} ${expected}` : expected;
  await expect(call).rejects.toMatchObject({ name: "ArgumentError", operation, argument, message, attempts: 0 });
  expect(sent).toEqual([]);
});

test("a call rejects a signal in place of options, and of a query", async () => {
  const { fetch, sent } = respondWith({});
  const client = createClient({ baseUrl, fetch });
  const signal = AbortSignal.abort();
  const error = { name: "ArgumentError", message: expect.stringContaining("got an object of type AbortSignal.") };
  await expect(client.listVotes({ partyId: "aa" }, signal as object)).rejects.toMatchObject(error);
  await expect(client.listPartiesProfiles(signal as object)).rejects.toMatchObject(error);
  expect(sent).toEqual([]);
});

test.each<[options: CallOptions, attempts: number]>([
  [{}, 2],
  [{ retry: { attempts: 3 } }, 3],
  [{ retry: false }, 1],
  [{ retry: {} }, 2],
])("the options %j of a call override those of its client one by one", async (options, attempts) => {
  const fetch = () => Promise.reject(new TypeError("no"));
  const client = createClient({ baseUrl, retry: { attempts: 2, baseDelay: 0 }, fetch });
  await expect(client.getSpamStatistics({ partyId: "aa" }, options)).rejects.toMatchObject({ attempts });
});
