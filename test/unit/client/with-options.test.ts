import { describe, expect, test } from "vitest";
import { createClient, type ObserverEvent, RateLimitError } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { recorder, respondWith } from "../../support/recorder.js";

const baseUrl = "https://node.example";
const party = { partyId: "a1" };
const statistics = { chainId: "c", statistics: null };

/** A node that bans the client at its first request. */
const createBanningNode = () => createFakeNode({}, { rateLimit: { burst: 0, refusals: 0 } });

describe("withOptions", () => {
  test("returns a client with other defaults, and leaves those of the first client", async () => {
    const node = createFakeNode({}, { faults: [{ name: "status", status: 503 }] });
    const client = createClient({ baseUrl, fetch: node.fetch, retry: { attempts: 3, baseDelay: 0 } });
    const once = client.withOptions({ retry: false });
    await expect(once.getSpamStatistics(party)).rejects.toMatchObject({ attempts: 1 });
    await expect(client.getSpamStatistics(party)).rejects.toMatchObject({ attempts: 3 });
    await expect(once.getSpamStatistics(party, { retry: { attempts: 2 } })).rejects.toMatchObject({ attempts: 2 });
    await expect(once.listVotes(party)).rejects.toMatchObject({ attempts: 1 });
    await expect(once.scanBalanceChanges().toArray()).rejects.toMatchObject({ attempts: 1 });
    node.requests.length = 0;
    await once.http.GET("/statistics/spam/{partyId}", { params: { path: party } });
    expect(node.requests).toHaveLength(1);
  });

  test("adds headers to those of the client; those of a call or of a request by http override or remove them", async () => {
    const { fetch, sent } = respondWith(statistics);
    const absent = { absent: undefined, "absent-too": null };
    const first = createClient({ baseUrl, fetch, headers: { "X-One": "1", "X-Two": "1", ...absent } });
    const second = first.withOptions({ headers: { "x-two": "2", "X-Three": "2" } });
    const third = second.withOptions({ headers: [["x-three", "3"]], timeout: 5000 });
    await third.getSpamStatistics(party, { headers: new Headers({ "x-one": "4", accept: "text/plain" }) });
    await third.http.GET("/statistics/spam/{partyId}", { params: { path: party }, headers: { "X-Two": null } });
    await third.http.request("get", "/statistics/spam/{partyId}", { params: { path: party } });
    await first.getSpamStatistics(party, { headers: [["x-two", "5"]] });
    await third.getSpamStatistics(party, { headers: { "X-One": null, "x-two": undefined } });
    await third.withOptions({ headers: { "X-THREE": null } }).getSpamStatistics(party);
    const accept = "application/json";
    expect(sent.map(({ headers }) => headers)).toEqual([
      { accept: "text/plain", "x-one": "4", "x-two": "2", "x-three": "3" },
      { accept, "x-one": "1", "x-three": "3" },
      { accept, "x-one": "1", "x-two": "2", "x-three": "3" },
      { accept, "x-one": "1", "x-two": "5" },
      { accept, "x-two": "2", "x-three": "3" },
      { accept, "x-one": "1", "x-two": "2" },
    ]);
  });

  test("shares the middleware of http, whichever client it is added to", async () => {
    const { fetch, sent } = respondWith(statistics);
    const client = createClient({ baseUrl, fetch });
    const other = client.withOptions({ headers: { a: "1" } });
    other.http.use({ onRequest: ({ request }) => request.headers.set("x-token", "t") });
    await client.getSpamStatistics(party);
    await other.getSpamStatistics(party);
    expect(sent.map(({ headers }) => headers["x-token"])).toEqual(["t", "t"]);
  });

  test("replaces the observer for the calls of its own client", async () => {
    const { fetch } = respondWith(statistics);
    const events: [string, ObserverEvent["type"]][] = [];
    const observe = (name: string) => (event: ObserverEvent) => void events.push([name, event.type]);
    const client = createClient({ baseUrl, fetch, observe: observe("first") });
    await client.withOptions({ observe: observe("second") }).getSpamStatistics(party);
    await client.withOptions({}).getSpamStatistics(party);
    expect(events.map(([name]) => name)).toEqual(["second", "second", "first", "first"]);
  });

  test("shares a ban: nothing is sent", async () => {
    const node = createBanningNode();
    const client = createClient({ baseUrl, fetch: node.fetch });
    await expect(client.getSpamStatistics(party)).rejects.toThrow(RateLimitError);
    await expect(client.withOptions({ timeout: 1000 }).listVotes(party)).rejects.toMatchObject({ banned: true });
    expect(node.requests).toHaveLength(1);
  });

  test.each<[options: object | null, message: string]>([
    // Both clients share these.
    [{ baseUrl: "https://me:secret@node.example" }, "withOptions has no option `baseUrl`."],
    [{ fetch }, "withOptions has no option `fetch`."],
    [{ pacing: false }, "withOptions has no option `pacing`."],
    [{ timeOut: 5 }, "withOptions has no option `timeOut`."],
    [{ timeout: 0 }, "Expected `timeout` to be a positive number"],
    [null, "Expected the options of withOptions to be a plain object"],
  ])("rejects %j", (options, message) => {
    const error = expect.objectContaining({ name: "ArgumentError", message: expect.stringContaining(message) });
    expect(() => createClient({ baseUrl }).withOptions(options as object)).toThrow(error);
  });
});

describe("clients that were created separately", () => {
  test("share the rate limit of a node, so that it rejects no request", async () => {
    const node = createFakeNode({}, { rateLimit: { rate: 200, burst: 30, refusals: 1000 } });
    const { fetch, responses } = recorder(node.fetch);
    const clients = ["", "/", "/api/v2"].map((path) => createClient({ baseUrl: baseUrl + path, fetch }));
    await Promise.all(clients.flatMap((client) => Array.from({ length: 20 }, () => client.getSpamStatistics(party))));
    expect(responses.map(({ status }) => status)).toEqual(Array(60).fill(200));
  });

  test.each<[what: string, sent: number, options: { own?: boolean; baseUrl?: string; pacing?: boolean }]>([
    ["share a ban with the same origin and fetch", 1, { baseUrl: `${baseUrl}/other/path` }],
    ["do not share a ban with another origin", 2, { baseUrl: "https://other.example" }],
    ["do not share a ban with another function as fetch", 2, { own: true }],
    ["do not share a ban if one of them has no pacing", 2, { pacing: false }],
  ])("%s", async (_, sent, { own = false, ...options }) => {
    const node = createBanningNode();
    const fetch = ({ url }: Request) => node.fetch(url.replace(/.*(?=\/statistics)/, baseUrl));
    await expect(createClient({ baseUrl, fetch }).getSpamStatistics(party)).rejects.toThrow(RateLimitError);
    const other = createClient({ baseUrl, fetch: own ? (request) => fetch(request) : fetch, ...options });
    await expect(other.getSpamStatistics(party)).rejects.toThrow(RateLimitError);
    expect(node.requests).toHaveLength(sent);
  });
});
