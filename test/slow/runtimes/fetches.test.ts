import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import * as undici from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { ApiError, createClient, VegaError } from "../../../src/index.js";
import { runs } from "../../support/runs.js";

/** A `fetch` that knows neither the `Request` nor the `Response` of the platform. */
type OtherFetch = (url: string, init: object) => Promise<unknown>;

const fetches: Record<string, () => Promise<OtherFetch>> = {
  "node-fetch": async () => {
    npmCi(fileURLToPath(new URL(".", import.meta.url)));
    return (await import(pathToFileURL(createRequire(import.meta.url).resolve("node-fetch")).href)).default;
  },
  undici: async () => undici.fetch as OtherFetch,
  "the platform": async () => globalThis.fetch as OtherFetch,
};

interface Reply {
  status: number;
  /** The length of the body, in bytes. */
  size: number;
  /** How many bytes are sent before the connection is closed; without it all are. */
  cut: number | undefined;
  /** Whether the response says how long it is. */
  isChunked: boolean;
}

const replies = fc
  .record({
    status: fc.constantFrom(200, 404, 503),
    size: fc.oneof(fc.constantFrom(0, 50, 16_384, 65_536, 102_400, 300_000), fc.integer({ min: 0, max: 300_000 })),
    share: fc.option(fc.double({ min: 0, max: 0.999, noNaN: true }), { nil: undefined }),
    isChunked: fc.boolean(),
  })
  .map(({ share, ...reply }): Reply => {
    const cut = share === undefined || reply.size === 0 ? undefined : Math.floor(share * reply.size);
    return { ...reply, cut };
  });

/** A body of so many bytes: a result, or an error of a node. A short one is neither. */
function bodyOf({ status, size }: Reply): string {
  if (size < 50) return "x".repeat(size);
  const empty = status === 200 ? '{"statistics":null,"chainId":""}' : '{"code":5,"details":[],"message":""}';
  return empty.replace(/""}$/, `"${"x".repeat(size - empty.length)}"}`);
}

let server: Server;
let reply: Reply;

beforeAll(async () => {
  server = createServer((_, response) => {
    const bytes = Buffer.from(bodyOf(reply));
    response.writeHead(reply.status, reply.isChunked ? {} : { "Content-Length": bytes.length });
    if (reply.cut === undefined) response.end(bytes);
    else response.write(bytes.subarray(0, reply.cut), () => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.each(Object.keys(fetches))("with %s as fetch", (name) => {
  test("each body is read, and one that is cut off ends the call at once with a ConnectionError", async () => {
    const other = await fetches[name]?.();
    const client = createClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      retry: false,
      fetch: ({ url, method, headers, signal }) =>
        other?.(url, { method, headers: Object.fromEntries(headers), signal }) as Promise<Response>,
    });
    await fc.assert(
      fc.asyncProperty(replies, async (next) => {
        reply = next;
        const outcome: unknown = await client.getSpamStatistics({ partyId: "a" }).catch((error: unknown) => error);
        if (VegaError.is(outcome)) JSON.stringify(outcome);
        if (next.cut !== undefined) expect(outcome).toMatchObject({ name: "ConnectionError" });
        else if (next.status !== 200) expect(outcome).toMatchObject({ name: "ApiError", status: next.status });
        else if (next.size < 50) expect(outcome).toMatchObject({ name: "ResponseError" });
        else expect(outcome).toEqual(JSON.parse(bodyOf(next)));
        if (ApiError.is(outcome) && next.size >= 50) expect(outcome.body).toEqual(JSON.parse(bodyOf(next)));
      }),
      { ...runs(100), interruptAfterTimeLimit: 30_000, markInterruptAsFailure: true },
    );
  });

  test("a body that is too large ends the call, whatever the status", async () => {
    const other = await fetches[name]?.();
    const client = createClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      maxResponseSize: 20_000,
      fetch: ({ url, signal }) => other?.(url, { signal }) as Promise<Response>,
    });
    for (const status of [200, 404, 503]) {
      reply = { status, size: 300_000, cut: undefined, isChunked: false };
      await expect(client.getSpamStatistics({ partyId: "a" })).rejects.toMatchObject({ name: "ResponseError" });
    }
  });
});
