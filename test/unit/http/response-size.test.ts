import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, ResponseError } from "../../../src/index.js";

const party = { partyId: "a" };

/** A body of statistics with so many bytes. */
function bodyOf(bytes: number): string {
  const empty = '{"statistics":null,"chainId":""}';
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
}

describe("a body over HTTP", () => {
  let server: Server;
  let baseUrl: string;
  let requests = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests++;
      const [, status = "200", mebibytes = "0"] = /^\/(\d+)\/(\d+)/.exec(request.url ?? "") ?? [];
      const zip = gzipSync(bodyOf(Number(mebibytes) * 2 ** 20));
      response.writeHead(Number(status), { "Content-Type": "application/json", "Content-Encoding": "gzip" }).end(zip);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each([200, 400, 429, 503])("that unpacks to more than the limit ends a call with status %i", async (status) => {
    requests = 0;
    const client = createClient({ baseUrl: `${baseUrl}/${status}/20`, maxResponseSize: 2 ** 20 });
    const error: unknown = await client.getSpamStatistics(party).catch((reason: unknown) => reason);
    expect(ResponseError.is(error)).toBe(true);
    expect(error).toMatchObject({ attempts: 1, body: undefined, response: { status } });
    expect((error as Error).message).toBe(
      `getSpamStatistics received a body of more than 1048576 bytes with status ${status} from ` +
        `${baseUrl}/${status}/20/statistics/spam/a. Request less, or raise \`maxResponseSize\`.`,
    );
    expect(requests).toBe(1);
  });

  test("of 65 MiB exceeds the default limit, and is accepted with a higher one", async () => {
    const client = createClient({ baseUrl: `${baseUrl}/200/65` });
    await expect(client.getSpamStatistics(party)).rejects.toThrow("received a body of more than 67108864 bytes");
    const { chainId } = await client.getSpamStatistics(party, { maxResponseSize: Number.POSITIVE_INFINITY });
    expect(chainId.length).toBeGreaterThan(65 * 2 ** 20 - 100);
  });
});

describe("a body in chunks", () => {
  /** A response whose body comes in these chunks; `rest` holds the chunks that were never read. */
  function chunked(chunks: Uint8Array[], status = 200) {
    const rest = [...chunks];
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const chunk = rest.shift();
          if (chunk) controller.enqueue(chunk);
          else controller.close();
        },
        cancel: () => {
          isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return { rest, response: new Response(body, { status }), isCancelled: () => isCancelled };
  }

  test("is accepted up to the limit and rejected above it, however it is divided", async () => {
    const chunks = fc.array(fc.nat(50), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: -2, max: 2 }), async (cuts, excess) => {
        const bytes = new TextEncoder().encode(`{"statistics":null,"chainId":"${"é€😀".repeat(20)}"}`);
        const parts: Uint8Array[] = [];
        let rest = bytes;
        for (const cut of cuts) {
          parts.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        parts.push(rest);
        const fetch = async () => chunked(parts).response;
        const client = createClient({ baseUrl: "https://node.example", fetch, maxResponseSize: bytes.length - excess });
        const result = await client.getSpamStatistics(party).catch((reason: unknown) => reason);
        if (excess > 0) expect(ResponseError.is(result)).toBe(true);
        else expect(result).toEqual({ statistics: null, chainId: "é€😀".repeat(20) });
      }),
    );
  });

  test.each([200, 500])("is cancelled at the limit with status %i", async (status) => {
    const { rest, response, isCancelled } = chunked(
      Array.from({ length: 100 }, () => new Uint8Array(10)),
      status,
    );
    const client = createClient({ baseUrl: "https://node.example", fetch: async () => response, maxResponseSize: 95 });
    await expect(client.getSpamStatistics(party)).rejects.toSatisfy(ResponseError.is);
    // A response that is cloned is read one chunk ahead.
    expect(rest.length).toBeGreaterThanOrEqual(89);
    await new Promise(setImmediate);
    expect(isCancelled()).toBe(true);
  });
});
