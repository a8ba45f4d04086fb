import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ApiError, createClient, paginate } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { recorder, rejectionOf, respondWith } from "../../support/recorder.js";

const baseUrl = "https://node.example";
const party = { partyId: "aa" };
const statistics = { chainId: "c", statistics: null };
const failing = (body: unknown, init: ResponseInit) =>
  createClient({ baseUrl, fetch: async () => Response.json(body, init), retry: false });

describe("the option baseUrl", () => {
  test.each([
    ["https://node.example", "https://node.example"],
    ["https://node.example/", "https://node.example"],
    ["https://node.example/datanode//", "https://node.example/datanode"],
    ["https://node.example/api/v2", "https://node.example"],
    ["https://node.example/datanode/api/v2/", "https://node.example/datanode"],
    ["https://node.example/my-api/v2", "https://node.example/my-api/v2"],
    [new URL("http://127.0.0.1:3008/x"), "http://127.0.0.1:3008/x"],
  ])("accepts %s, and requests begin with %s", async (baseUrl, expected) => {
    const { fetch, sent } = respondWith(statistics);
    await createClient({ baseUrl, fetch }).getSpamStatistics(party);
    expect(sent[0]?.url).toBe(`${expected}/statistics/spam/aa`);
  });

  const address = 'an address such as "https://node.example", got';
  test.each([
    [undefined, `${address} undefined`],
    ["", `${address} ""`],
    ["node.example", `${address} "node.example"`],
    ["ftp://node.example", `${address} "ftp://node.example"`],
    [Object.create(null), `${address} an object`],
    ["https://node.example?a=b", "an address without query and fragment"],
    ["https://me:secret@node.example", "an address without credentials, which `fetch` does not accept. Use `headers`"],
  ])("rejects %s", (baseUrl, expected) => {
    const message = `Expected \`baseUrl\` to be ${expected}.`;
    const error = expect.objectContaining({ name: "ArgumentError", message });
    expect(() => createClient({ baseUrl: baseUrl as string })).toThrow(error);
  });

  test("accepts a relative address in a browser, but neither an undefined one nor an object", () => {
    const page = globalThis as { location?: { href: string } };
    page.location = { href: "https://app.example/dashboard/" };
    try {
      expect(createClient({ baseUrl: "/node" }).baseUrl).toBe("https://app.example/node");
      expect(createClient({ baseUrl: new URL("https://node.example/api/v2") }).baseUrl).toBe("https://node.example");
      for (const wrong of [undefined, null, {}, 5])
        expect(() => createClient({ baseUrl: wrong as never })).toThrow("Expected `baseUrl` to be an address such as");
    } finally {
      delete page.location;
    }
  });
});

test("withResponse resolves to the result with status, headers and block, and sends no further request", async () => {
  const headers = { "X-Block-Height": "1234567", "X-Block-Timestamp": "1707497689123456000" };
  const { fetch, sent } = recorder(async () => Response.json(statistics, { headers }));
  const call = createClient({ baseUrl, fetch }).getSpamStatistics(party);
  const { data, response, block, stale } = await call.withResponse();
  expect(data).toEqual(statistics);
  expect(await call).toBe(data);
  expect(response.status).toBe(200);
  expect(block).toEqual({ height: 1234567n, timestamp: 1707497689123456000n });
  expect(stale).toBe(false);
  expect(sent).toHaveLength(1);
});

test("withResponse rejects as the call does", async () => {
  // An unhandled rejection of the call itself would fail the run.
  const call = failing({}, { status: 500 }).getSpamStatistics(party);
  expect(await rejectionOf(call.withResponse())).toSatisfy(ApiError.is);
  await new Promise(setImmediate);
});

test("an error of a node has the detail, the name of the code and the headers that the node sent", async () => {
  const message = "missing proposal id and party id";
  const detail = { "@type": "type.googleapis.com/vega.ErrorDetail", code: 10023, message, inner: "" };
  const body = { code: 3, message: "InvalidArgument error", details: [{ "@type": "other", x: 1 }, detail] };
  const headers = { "content-type": "application/json, application/grpc" };
  const error = await rejectionOf(failing(body, { status: 400, headers }).listVotes(party));
  if (!ApiError.is(error)) throw error;
  const url = "https://node.example/api/v2/votes?partyId=aa&pagination.first=5000";
  expect(error.message).toBe(`listVotes failed with status 400: InvalidArgument error: ${message} (GET ${url})`);
  expect(error).toMatchObject({ attempts: 1, code: 3, codeName: "INVALID_ARGUMENT", details: body.details, detail });
  expect(error.headers.get("content-type")).toBe(headers["content-type"]);
});

test("a client, a listing and a scan are printed as one line that says how they are used", () => {
  const client = createClient({ baseUrl: "https://node.example/datanode" });
  const pooled = createClient({ baseUrl: nodePool(["https://a.example", "https://b.example"]) });
  expect(inspect(client)).toBe("VegaClient of https://node.example/datanode");
  expect(inspect(pooled)).toBe("VegaClient of https://a.example, https://b.example");
  const all = "`for await` or `toArray()` for all records.";
  const listing = client.listVotes({ partyId: "aa" });
  expect(inspect(listing)).toBe(`Listing of listVotes(). Use \`await\` for the first page, ${all}`);
  expect(inspect(client.scanBalanceChanges())).toBe(`Scan of scanBalanceChanges(). Use ${all}`);
  expect(inspect(paginate(async () => ({ edges: [], pageInfo: null })))).toMatch(/^Walk of paginate\(\)\. Use/);
});
