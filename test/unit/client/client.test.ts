import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ApiError, ArgumentError, createClient, paginate, ResponseError, VegaError } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { json, recorder, respondWith } from "../../support/recorder.js";

const party = { partyId: "a" };
const statistics = { chainId: "c", statistics: null };

function connect(respond: () => Response | Promise<Response>) {
  return createClient({ baseUrl: "https://node.example", fetch: async () => respond(), retry: false });
}

describe("the option baseUrl", () => {
  test.each([
    ["https://node.example", "https://node.example"],
    ["https://node.example/", "https://node.example"],
    ["https://node.example/datanode", "https://node.example/datanode"],
    ["https://node.example/datanode//", "https://node.example/datanode"],
    ["https://node.example/api/v2", "https://node.example"],
    ["https://node.example/datanode/api/v2/", "https://node.example/datanode"],
    ["https://node.example/my-api/v2", "https://node.example/my-api/v2"],
    [new URL("http://127.0.0.1:3008/x"), "http://127.0.0.1:3008/x"],
  ])("accepts %s, and requests begin with %s", async (baseUrl, expected) => {
    const { fetch, sent } = respondWith(statistics);
    await createClient({ baseUrl, fetch }).getSpamStatistics(party);
    expect(sent[0]?.url).toBe(`${expected}/statistics/spam/a`);
  });

  test.each([
    [undefined, 'an address such as "https://node.example", got undefined'],
    ["", 'an address such as "https://node.example", got ""'],
    ["node.example", 'an address such as "https://node.example", got "node.example"'],
    ["ftp://node.example", 'an address such as "https://node.example", got "ftp://node.example"'],
    ["https://node.example?a=b", "an address without query and fragment"],
    ["https://me:secret@node.example", "an address without credentials, which `fetch` does not accept. Use `headers`"],
  ])("rejects %s", (baseUrl, message) => {
    const make = () => createClient({ baseUrl: baseUrl as string });
    expect(make).toThrow(ArgumentError);
    expect(make).toThrow(`Expected \`baseUrl\` to be ${message}.`);
  });
});

describe("headers", () => {
  test("of the client and of a call are sent, and those of the call take precedence", async () => {
    const { fetch, sent } = respondWith(statistics);
    const client = createClient({
      baseUrl: "https://node.example",
      fetch,
      headers: { "X-One": "1", "X-Two": "2", absent: undefined },
    });
    await client.getSpamStatistics(party, {
      headers: [
        ["x-two", "3"],
        ["x-four", "4"],
      ],
    });
    await client.getSpamStatistics(party, { headers: new Headers({ accept: "text/plain" }) });
    expect(sent[0]?.headers).toEqual({ accept: "application/json", "x-one": "1", "x-two": "3", "x-four": "4" });
    expect(sent[1]?.headers).toEqual({ accept: "text/plain", "x-one": "1", "x-two": "2" });
  });
});

test("withResponse resolves to the result with status, headers and block, and sends no further request", async () => {
  const { fetch, sent } = recorder(async () =>
    json(statistics, { headers: { "X-Block-Height": "1234567", "X-Block-Timestamp": "1707497689123456000" } }),
  );
  const call = createClient({ baseUrl: "https://node.example", fetch }).getSpamStatistics(party);
  const { data, response, block } = await call.withResponse();
  expect(data).toEqual(statistics);
  expect(await call).toBe(data);
  expect(response.status).toBe(200);
  expect(block).toEqual({ height: 1234567n, timestamp: 1707497689123456000n });
  expect(sent).toHaveLength(1);
});

describe("the outcome of a call:", () => {
  const caught = async (promise: PromiseLike<unknown>) => {
    try {
      await promise;
    } catch (error) {
      return error;
    }
    throw new Error("Nothing was thrown");
  };

  test("an error of a node has everything that the node sent", async () => {
    const detail = {
      "@type": "type.googleapis.com/vega.ErrorDetail",
      code: 10023,
      message: "missing proposal id and party id",
      inner: "",
    };
    const body = { code: 3, message: "InvalidArgument error", details: [{ "@type": "other", x: 1 }, detail] };
    const client = connect(() =>
      json(body, { status: 400, headers: { "content-type": "application/json, application/grpc" } }),
    );
    const error = await caught(client.listVotes(party));
    expect(error).toMatchObject({
      name: "ApiError",
      message:
        "listVotes failed with status 400: InvalidArgument error: missing proposal id and party id " +
        "(GET https://node.example/api/v2/votes?partyId=a&pagination.first=5000)",
      operation: "listVotes",
      attempts: 1,
      status: 400,
      code: 3,
      codeName: "INVALID_ARGUMENT",
      details: body.details,
      detail,
      body,
      request: { method: "GET", url: "https://node.example/api/v2/votes?partyId=a&pagination.first=5000" },
    });
    expect(ApiError.is(error) && VegaError.is(error) && !ResponseError.is(error)).toBe(true);
    expect((error as ApiError).headers.get("content-type")).toBe("application/json, application/grpc");
  });

  test.each([null, undefined, "", "soon", {}])(
    "a timestamp of %j in a scan of several requests is a ResponseError",
    async (timestamp) => {
      const pageInfo = { startCursor: "a", endCursor: "a", hasNextPage: false, hasPreviousPage: false };
      const edges = [{ cursor: "a", node: { timestamp, balance: "1" } }, null];
      const client = connect(() => json({ balances: { edges, pageInfo } }));
      const partyIds = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(64, "0"));
      const scan = client.scanBalanceChanges({ filter: { partyIds } });
      await expect(scan.toArray()).rejects.toSatisfy(ResponseError.is);
    },
  );

  test("withResponse rejects as the call does, and causes no unhandled rejection", async () => {
    const unheard: unknown[] = [];
    const listen = (reason: unknown) => unheard.push(reason);
    process.on("unhandledRejection", listen);
    const call = connect(() => json({}, { status: 500 })).getSpamStatistics(party);
    expect(ApiError.is(await caught(call.withResponse()))).toBe(true);
    await new Promise(setImmediate);
    process.off("unhandledRejection", listen);
    expect(unheard).toEqual([]);
  });
});

test("a client, a listing and a scan are printed as one line that says how they are used", () => {
  const client = createClient({ baseUrl: "https://node.example/datanode" });
  const pooled = createClient({ baseUrl: nodePool(["https://a.example", "https://b.example"]) });
  expect(inspect(client)).toBe("VegaClient of https://node.example/datanode");
  expect(inspect(pooled)).toBe("VegaClient of https://a.example, https://b.example");
  expect(inspect(client.listVotes({ partyId: "a" }))).toBe(
    "Listing of listVotes(). Use `await` for the first page, `for await` or `toArray()` for all records.",
  );
  expect(inspect(client.scanBalanceChanges())).toBe(
    "Scan of scanBalanceChanges(). Use `for await` or `toArray()` for all records.",
  );
  expect(inspect(paginate(async () => ({ edges: [], pageInfo: null })))).toMatch(/^Walk of paginate\(\)\. Use/);
});
