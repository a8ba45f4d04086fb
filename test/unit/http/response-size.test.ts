import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createClient, ResponseError } from "../../../src/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { rejectionOf } from "../../support/recorder.js";

const party = { partyId: "aa" };

/** A body of statistics with a number of bytes. */
function bodyOf(bytes: number): string {
  const empty = '{"statistics":null,"chainId":""}';
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
}

let requests = 0;
const zipOf = (mebibytes: number) => gzipSync(bodyOf(mebibytes * 2 ** 20), { level: 1 });
const zips: Record<string, Buffer<ArrayBuffer>> = { 20: zipOf(20), 65: zipOf(65) };
const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
const server = await listen({
  fetch: async ({ url }) => {
    requests++;
    const [, status, mebibytes = ""] = new URL(url).pathname.split("/");
    return new Response(zips[mebibytes], { status: Number(status), headers });
  },
});
afterAll(() => server.close());

describe("a body over HTTP", () => {
  test.each([200, 400, 429, 503])("that unpacks to more than the limit ends a call with status %i", async (status) => {
    requests = 0;
    const client = createClient({ baseUrl: `${server.url}/${status}/20`, maxResponseSize: 2 ** 20 });
    const error = await rejectionOf(client.getSpamStatistics(party));
    expect(error).toSatisfy(ResponseError.is);
    const message =
      `getSpamStatistics received a body of more than 1048576 bytes with status ${status} from ` +
      `${server.url}/${status}/20/statistics/spam/aa. Request less, or raise \`maxResponseSize\`.`;
    expect(error).toMatchObject({ message, attempts: 1, body: undefined, response: { status } });
    expect(requests).toBe(1);
  });

  test("of 65 MiB exceeds the default limit, and is accepted with a higher one", async () => {
    const client = createClient({ baseUrl: `${server.url}/200/65` });
    await expect(client.getSpamStatistics(party)).rejects.toThrow("received a body of more than 67108864 bytes");
    const { chainId } = await client.getSpamStatistics(party, { maxResponseSize: Number.POSITIVE_INFINITY });
    expect(chainId.length).toBeGreaterThan(65 * 2 ** 20 - 100);
  });
});

describe("a body in chunks", () => {
  const clientOf = (response: () => Response, maxResponseSize: number) =>
    createClient({ baseUrl: "https://node.example", fetch: async () => response(), maxResponseSize });

  test("is accepted up to the limit and rejected above it, however it is divided", async () => {
    const chainId = "é€😀".repeat(20);
    const bytes = new TextEncoder().encode(JSON.stringify({ statistics: null, chainId }));
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 20 });
    const property = fc.asyncProperty(cuts, fc.integer({ min: -2, max: 2 }), async (cuts, excess) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const start = (body: ReadableStreamDefaultController) => {
        for (const [index, place] of places.entries()) body.enqueue(bytes.slice(places[index - 1] ?? 0, place));
        body.close();
      };
      const client = clientOf(() => new Response(new ReadableStream({ start })), bytes.length - excess);
      const call = client.getSpamStatistics(party);
      if (excess > 0) await expect(call).rejects.toSatisfy(ResponseError.is);
      else expect(await call).toEqual({ statistics: null, chainId });
    });
    await fc.assert(property);
  });

  test.each([200, 500])("is cancelled at the limit with status %i", async (status) => {
    let [chunks, isCancelled] = [0, false];
    const pull = (body: ReadableStreamDefaultController) => {
      chunks++;
      body.enqueue(new Uint8Array(10));
    };
    const cancel = () => {
      isCancelled = true;
    };
    const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
    const call = clientOf(() => new Response(body, { status }), 95).getSpamStatistics(party);
    await expect(call).rejects.toSatisfy(ResponseError.is);
    // A response that is cloned is read one chunk ahead.
    expect(chunks).toBeLessThanOrEqual(11);
    await new Promise(setImmediate);
    expect(isCancelled).toBe(true);
  });
});
