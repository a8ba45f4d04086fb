import { createServer } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as undici from "undici";
import { expect, test } from "vitest";
import { listening } from "../../../cli/test/support/proxy.js";
import { npmCi } from "../../../scripts/npm-ci.js";
import { ApiError, createClient } from "../../../src/index.js";

/** A `fetch` that knows neither the `Request` nor the `Response` of the platform. */
type OtherFetch = (url: string, init: object) => Promise<Response>;

async function loadNodeFetch() {
  npmCi(fileURLToPath(new URL(".", import.meta.url)));
  return (await import(pathToFileURL(createRequire(import.meta.url).resolve("node-fetch")).href)).default;
}
const fetches: [name: string, load: () => Promise<unknown>][] = [
  ["node-fetch", loadNodeFetch],
  ["undici", async () => undici.fetch],
  ["the platform", async () => globalThis.fetch],
];

interface Reply {
  status: number;
  /** The length of the body, in bytes. */
  size: number;
  /** How much is sent before the connection is closed. */
  share: number;
  /** Whether the response does not say how long it is. */
  isChunked: boolean;
}

const replies = [200, 404, 503].flatMap((status) =>
  [0, 50, 16_384, 65_536, 102_400, 300_000].flatMap((size) =>
    (size === 0 ? [1] : [0, 0.3, 0.999, 1]).flatMap((share) =>
      [true, false].map((isChunked): Reply => ({ status, size, share, isChunked })),
    ),
  ),
);

/** A body of a number of bytes: a result, or an error of a node. */
function bodyOf({ status, size }: Reply): string {
  const empty = status === 200 ? '{"statistics":null,"chainId":""}' : '{"code":5,"details":[],"message":""}';
  return size === 0 ? "" : empty.replace(/""}$/, `"${"x".repeat(size - empty.length)}"}`);
}

let reply: Reply;
const server = createServer((_, response) => {
  const bytes = Buffer.from(bodyOf(reply));
  response.writeHead(reply.status, reply.isChunked ? {} : { "Content-Length": bytes.length });
  if (reply.share === 1) response.end(bytes);
  else response.write(bytes.subarray(0, reply.share * bytes.length), () => response.destroy());
});
const baseUrl = `http://127.0.0.1:${await listening(server)}`;

test.each(fetches)(
  "with %s as fetch, each body is read, one that is cut off ends the call with a ConnectionError, and one that is too large with a ResponseError",
  async (_, load) => {
    const other = (await load()) as OtherFetch;
    const fetch = ({ url, method, headers, signal }: Request) =>
      other(url, { method, headers: Object.fromEntries(headers), signal });
    const call = (options: object) =>
      createClient({ baseUrl, fetch, retry: false, ...options })
        .getSpamStatistics({ partyId: "aa" })
        .catch((error: unknown) => error);
    for (reply of replies) {
      const outcome = await call({});
      const content = reply.size === 0 ? undefined : JSON.parse(bodyOf(reply));
      const what = JSON.stringify(reply);
      if (reply.share < 1) expect(outcome, what).toMatchObject({ name: "ConnectionError" });
      else if (reply.status !== 200) expect(outcome, what).toMatchObject({ name: "ApiError", status: reply.status });
      else if (reply.size === 0) expect(outcome, what).toMatchObject({ name: "ResponseError" });
      else expect(outcome, what).toEqual(content);
      if (ApiError.is(outcome) && reply.size > 0) expect(outcome.body).toEqual(content);
    }
    for (const status of [200, 404, 503]) {
      reply = { status, size: 300_000, share: 1, isChunked: false };
      expect(await call({ maxResponseSize: 20_000 })).toMatchObject({ name: "ResponseError" });
    }
  },
);
