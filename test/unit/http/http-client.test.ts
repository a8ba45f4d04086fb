import { describe, expect, test } from "vitest";
import { type ClientOptions, createClient } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { collectGarbage } from "../../support/garbage.js";
import { recorder } from "../../support/recorder.js";

const baseUrl = "https://node.example";
const path = "/statistics/spam/{partyId}";
const party = { params: { path: { partyId: "a1" } } };
const statistics = { chainId: "c", statistics: null };
const refused = new TypeError("fetch failed: the connection was refused");

/** A client whose requests get these responses in turn, and the last one from then on. An error rejects the request. */
function connect(responses: (() => Response | Error | Promise<Response>)[], options: Partial<ClientOptions> = {}) {
  let next = 0;
  const { fetch, sent } = recorder(async () => {
    const response = await responses[Math.min(next++, responses.length - 1)]?.();
    if (response instanceof Response) return response;
    throw response;
  });
  const client = createClient({ baseUrl, fetch, retry: { baseDelay: 0 }, ...options });
  return { client, http: client.http, sent };
}

const unavailable = () => Response.json({ code: 14, message: "unavailable", details: [] }, { status: 503 });
const ok = () => Response.json(statistics);

describe("a read by client.http", () => {
  test.each<[what: string, failure: () => Response | Error]>([
    ["an error status that is transient", unavailable],
    ["a failure of the connection", () => refused],
    ["truncated JSON", () => new Response('{"chainId":"c","stat')],
    ["a body that is cut off", () => new Response(new ReadableStream({ pull: (body) => body.error(refused) }))],
  ])("is retried after %s, as a method is", async (_, failure) => {
    const { http, sent } = connect([failure, failure, ok]);
    const { data, error, response } = await http.GET(path, party);
    expect(data).toEqual(statistics);
    expect(error).toBeUndefined();
    expect(response.status).toBe(200);
    expect(sent).toMatchObject(Array(3).fill({ method: "GET", url: `${baseUrl}/statistics/spam/a1` }));
  });

  test("resolves to the error of the last response, as openapi-fetch does", async () => {
    const { http, sent } = connect([unavailable]);
    const error = { code: 14, message: "unavailable", details: [] };
    expect(await http.GET(path, party)).toMatchObject({ error, response: { status: 503 } });
    expect(sent).toHaveLength(4);
    const wrong = connect([() => Response.json({ code: 3 }, { status: 400 })]);
    expect(await wrong.http.GET(path, party)).toMatchObject({ error: { code: 3 }, response: { status: 400 } });
    expect(wrong.sent).toHaveLength(1);
  });

  test("rejects with the errors of methods if there is no response to return", async () => {
    const operation = `GET ${path}`;
    const message = expect.stringContaining(`${operation} received no response from ${baseUrl}/statistics/spam/a1`);
    const refusal = { name: "ConnectionError", attempts: 4, operation, message };
    await expect(connect([() => refused]).http.GET(path, party)).rejects.toMatchObject(refusal);
    const html = () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
    const wrong = { name: "ResponseError", attempts: 1, operation };
    await expect(connect([html]).http.GET(path, party)).rejects.toMatchObject(wrong);
    await expect(connect([ok], { maxResponseSize: 5 }).http.GET(path, party)).rejects.toMatchObject(wrong);
  });

  test("has the deadlines of the client, and ends with the signal of the request", async () => {
    const silent = () => new Promise<Response>(() => {});
    const late = connect([silent], { timeout: 5, retry: false }).http.GET(path, party);
    await expect(late).rejects.toMatchObject({ name: "TimeoutError", scope: "attempt" });
    const controller = new AbortController();
    const read = connect([silent]).http.GET(path, { ...party, signal: controller.signal });
    setImmediate(() => controller.abort("enough"));
    await expect(read).rejects.toBe("enough");
  });

  test("is paced together with the methods, and not sent during a ban", async () => {
    const node = createFakeNode({}, { rateLimit: { rate: 200, burst: 20, refusals: 1000 } });
    const { fetch, responses } = recorder(node.fetch);
    const client = createClient({ baseUrl, fetch });
    const reads = Array.from({ length: 20 }, () => client.http.GET(path, party));
    await Promise.all([...reads, ...Array.from({ length: 20 }, () => client.getSpamStatistics({ partyId: "a1" }))]);
    expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(200));
    const banned = () => Response.json({ code: 7 }, { status: 403, headers: { "RateLimit-Retry-After": "600" } });
    const { http, sent } = connect([banned]);
    expect(await http.GET(path, party)).toMatchObject({ error: { code: 7 }, response: { status: 403 } });
    await expect(http.GET(path, party)).rejects.toMatchObject({ name: "RateLimitError", banned: true, attempts: 0 });
    expect(sent).toHaveLength(1);
  });

  test("is reported to the observer, and calls middleware once, however many attempts it takes", async () => {
    const events: string[] = [];
    const observe: ClientOptions["observe"] = ({ type, operation }) => events.push(`${type} ${operation}`);
    const { http } = connect([unavailable, ok], { observe });
    const statuses: number[] = [];
    http.use({
      onRequest: ({ request }) => request.headers.set("x-token", "t"),
      onResponse: ({ response }) => void statuses.push(response.status),
    });
    await http.GET(path, party);
    expect(statuses).toEqual([200]);
    const types = ["attempt", "response", "retry", "attempt", "response"];
    expect(events).toEqual(types.map((type) => `${type} GET ${path}`));
  });

  test.each(["json", "text", "blob", "arrayBuffer", "stream"] as const)("returns a body as %s", async (parseAs) => {
    const text = parseAs === "json" ? '{"a":"ü"}' : "a: ü";
    const { http } = connect([() => new Response(text, { headers: { "content-type": "application/yaml" } })]);
    const { data } = await http.GET(path, { ...party, parseAs });
    if (parseAs === "blob") expect((data as Blob).type).toBe("application/yaml");
    if (parseAs === "json") expect(data).toEqual({ a: "ü" });
    else expect(await new Response(data as BodyInit).text()).toBe(text);
  });

  test("returns a stream before it ends, which no deadline cuts off, but the signal of the request", async () => {
    const fetch = async ({ signal }: Request) => {
      const start = (body: ReadableStreamDefaultController) => {
        body.enqueue(new TextEncoder().encode("first"));
        signal.addEventListener("abort", () => body.error(signal.reason));
      };
      return new Response(new ReadableStream({ start }));
    };
    const controller = new AbortController();
    const options = { ...party, parseAs: "stream", signal: controller.signal } as const;
    const { data } = await createClient({ baseUrl, fetch, timeout: 500 }).http.GET(path, options);
    const reader = (data as ReadableStream<Uint8Array>).getReader();
    await new Promise((resolve) => setTimeout(resolve, 600));
    // Node.js aborts a Request only as long as something refers to it.
    await collectGarbage();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("first");
    controller.abort("enough");
    await expect(reader.read()).rejects.toBe("enough");
  });

  test("returns no data if a response has no body", async () => {
    const { http } = connect([() => new Response(null, { status: 204 })]);
    expect(await http.GET(path, party)).toMatchObject({ data: undefined, response: { status: 204 } });
    const head = connect([() => new Response(null, { headers: { "content-length": "5" } })]);
    const request = head.http.request as (method: string, path: string, init: object) => Promise<{ data?: unknown }>;
    expect((await request("HEAD", path, party)).data).toBeUndefined();
    expect(head.sent[0]?.method).toBe("HEAD");
  });

  test("with an address or a fetch of its own is sent there, once and as it is", async () => {
    const { http, sent } = connect([unavailable]);
    await http.GET(path, { ...party, baseUrl: "https://other.example" });
    expect(sent.map(({ url }) => url)).toEqual(["https://other.example/statistics/spam/a1"]);
    const own = recorder(async () => unavailable());
    await http.GET(path, { ...party, fetch: own.fetch });
    expect(own.sent).toHaveLength(1);
    await http.GET(path, { ...party, baseUrl: undefined, fetch: undefined } as never);
    expect(sent).toHaveLength(5);
  });
});

test("a POST by client.http is sent once, whatever happens", async () => {
  const check = { body: { tx: { version: "TX_VERSION_V3" } } } as never;
  const failed = connect([() => refused]);
  const post = failed.http.POST("/transaction/check", check);
  await expect(post).rejects.toMatchObject({ name: "ConnectionError", attempts: 1 });
  expect(failed.sent).toHaveLength(1);
  const { http, sent } = connect([unavailable]);
  expect(await http.POST("/transaction/check", check)).toMatchObject({ response: { status: 503 } });
  expect(sent.map(({ method, body }) => [method, body])).toEqual([["POST", '{"tx":{"version":"TX_VERSION_V3"}}']]);
});
