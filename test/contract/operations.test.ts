// The requests and results of the client, held against `openapi.yaml`: Prism's mock of the description checks each request, and
// responds with each example of it.
import { afterAll, describe, expect, test } from "vitest";
import { ApiError, type CallOptions, createClient, type VegaClient } from "../../src/index.js";
import { examples, operations } from "../support/description.js";
import { startMock } from "../support/prism.js";
import { transaction as tx } from "../support/raw-requests.js";
import { recorder } from "../support/recorder.js";

const mock = await startMock();
afterAll(() => mock.close());

type AnyClient = Record<string, (query: object, options?: CallOptions) => PromiseLike<unknown>>;
const accountTypes = ["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_MARGIN"];
const party = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";

const pagination = { first: 3, after: "Pz8/Pj4+dm90ZSAy==", newestFirst: false };

/** What is sent for an argument. */
interface Case {
  query: object;
  /** An argument that selects the records of all examples. Default: `query`. */
  selecting?: object;
  url: string;
  body?: string;
}

const cases: Record<string, Case> = {
  listVotes: {
    query: { partyId: "VOTE", proposalId: "AbCd", pagination },
    url:
      "/api/v2/votes?partyId=VOTE&proposalId=abcd" +
      "&pagination.first=3&pagination.after=Pz8%2FPj4%2Bdm90ZSAy%3D%3D&pagination.newestFirst=false",
  },
  listPartiesProfiles: {
    query: { parties: [party, "network", "VOTE"] },
    url: `/api/v2/parties/profiles?parties=${party}&parties=network&parties=VOTE&pagination.first=5000`,
  },
  getSpamStatistics: { query: { partyId: "network" }, url: "/statistics/spam/network" },
  listBalanceChanges: {
    query: {
      filter: { assetId: "fUSDC", partyIds: [party, "network"], accountTypes },
      dateRange: { startTimestamp: 1_707_436_800_000_000_001n, endTimestamp: "2024-02-10T01:00:00.001+01:00" },
      pagination: { last: 2, before: "+/=" },
    },
    selecting: { filter: { partyIds: [party, "network"] } },
    url:
      `/api/v2/balance/changes?filter.assetId=fUSDC&filter.partyIds=${party}&filter.partyIds=network` +
      "&filter.accountTypes=ACCOUNT_TYPE_GENERAL&filter.accountTypes=ACCOUNT_TYPE_MARGIN" +
      "&dateRange.startTimestamp=1707436800000000001&dateRange.endTimestamp=1707523200001000000" +
      "&pagination.last=2&pagination.before=%2B%2F%3D",
  },
  listNodeSignatures: { query: { id: "abcd" }, url: "/api/v2/node/signatures?id=abcd&pagination.first=1000" },
  checkTransaction: { query: { tx }, url: "/transaction/check", body: JSON.stringify({ tx }) },
};

function connect() {
  const { fetch, sent, responses } = recorder();
  return { client: createClient({ baseUrl: mock.url, fetch, retry: false }), sent, responses };
}

/** The violations that Prism reports; empty for a valid request. */
const violations = (response: Response | undefined): { location: string[]; message: string }[] =>
  JSON.parse(response?.headers.get("sl-violations") ?? "[]");

/** The records of a page, or the result itself. */
const content = (result: unknown) =>
  typeof result === "object" && result !== null && "nodes" in result ? result.nodes : result;

/** The same of a body. */
function contentOf(body: unknown): unknown {
  const [envelope] = Object.values(body as Record<string, { edges?: { node: unknown }[] }>);
  return envelope?.edges ? envelope.edges.map(({ node }) => node) : body;
}

test("every operation of the description is tested here", () => {
  expect(Object.keys(cases).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
});

describe.each(Object.entries(cases))("%s", (id, { query, selecting = query, url, body = "" }) => {
  const method = body ? "POST" : "GET";
  const call = (client: VegaClient, options?: CallOptions, argument = query) =>
    (client as unknown as AnyClient)[id]?.(argument, options);

  test("sends exactly the documented request, and Prism reports no violation", async () => {
    const { client, sent, responses } = connect();
    await call(client);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ method, url: mock.url + url, body, headers: { accept: "application/json" } });
    expect(sent[0]?.headers["content-type"]).toBe(body === "" ? undefined : "application/json");
    expect(violations(responses[0])).toEqual([]);
  });

  test.each(Object.entries(examples(id, "200")))("reads the documented response %s", async (name, { value }) => {
    const { client, responses } = connect();
    const result = await call(client, { headers: { prefer: `example=${name}` } }, selecting);
    expect(content(result)).toEqual(contentOf(value));
    expect(violations(responses[0])).toEqual([]);
  });

  const failures = ["400", "403", "429", "500", "default"].flatMap((status) =>
    Object.entries(examples(id, status)).map(([name, { value }]) => [status, name, value] as const),
  );
  test.each(failures)("turns the documented error %s %s into an ApiError", async (status, name, value) => {
    const code = status === "default" ? 503 : Number(status);
    const { client } = connect();
    const request = { method, url: mock.url + url };
    const message = expect.stringContaining((value as { message: string }).message);
    const rejects = expect(call(client, { headers: { prefer: `code=${code}, example=${name}` } })).rejects;
    await rejects.toMatchObject({ operation: id, status: code, body: value, request, message });
    await rejects.toSatisfy(ApiError.is);
  });
});
