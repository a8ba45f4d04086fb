import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { createFakeNode, nodeDefects, type Recording, recordFetch, replayFetch } from "../../../src/testing/index.js";

const baseUrl = "https://node.example/datanode";

/** Records what a client reads of a node. */
async function record(node = createFakeNode({ votes: 60, balances: 300, signatures: 30, spamStatistics: 2 }, options)) {
  const recordings: Recording[] = [];
  const fetch = recordFetch(node.fetch, (recording) => recordings.push(recording));
  const client = createClient({ baseUrl, fetch, headers: { Authorization: "secret" } });
  const results = await readAll(client);
  return { node, recordings, results };
}
const options = { defects: nodeDefects, basePath: "/datanode" };

async function readAll(client: ReturnType<typeof createClient>) {
  const pagination = { first: 40, newestFirst: false };
  const changes = await client.listBalanceChanges({ pagination }).toArray();
  const votes = await client.listVotes({ partyId: party, pagination }).toArray();
  const check = await client.checkTransaction({ tx: { pubKey: "ab" } });
  const spam = await client.getSpamStatistics({ partyId: party });
  return { changes, votes, check, spam };
}
const party = createFakeNode().records.votes[0]?.partyId ?? "";

describe("recorded responses", () => {
  test("are what a client reads again without a node, at another address, also as JSON", async () => {
    const { recordings, results } = await record();
    const lines = recordings.map((recording) => JSON.stringify(recording));
    const fetch = replayFetch(lines.map((line) => JSON.parse(line)));
    expect(await readAll(createClient({ baseUrl: "https://other.example", fetch }))).toEqual(results);
  });

  test("are byte for byte those of the node, with status and headers", async () => {
    const node = createFakeNode({ votes: 3, profiles: 20 }, { now: () => 0 });
    const paths = ["/api/v2/parties/profiles?pagination.first=3", "/api/v2/votes?proposalId=xyz", "/api/v2/nothing"];
    const recordings: Recording[] = [];
    const recording = recordFetch(node.fetch, (each) => recordings.push(each));
    const sent: Response[] = [];
    for (const path of paths) sent.push(await recording(new Request(`https://node.example${path}`)));
    const replaying = replayFetch(recordings);
    for (const [index, path] of paths.entries()) {
      const replayed = await replaying(new Request(`https://a.example${path}`));
      expect([replayed.status, [...replayed.headers]]).toEqual([
        sent[index]?.status,
        [...(sent[index]?.headers ?? [])],
      ]);
      const bytes = async (response: Response | undefined) => [
        ...new Uint8Array((await response?.arrayBuffer()) ?? []),
      ];
      expect(await bytes(replayed)).toEqual(await bytes(sent[index]));
      expect(replayed.url).toBe(`https://a.example${path}`);
    }
  });

  test.each([
    ["text with a byte order mark", [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ["bytes that are no text", [0xff, 0x00, 0xfe, 0x80]],
    ["nothing", []],
  ])("keep %s", async (_, bytes) => {
    const recordings: Recording[] = [];
    const fetch = recordFetch(
      async () => new Response(Uint8Array.from(bytes)),
      (each) => recordings.push(each),
    );
    await fetch(new Request("https://node.example/api/v2/votes"));
    const replayed = await replayFetch(JSON.parse(JSON.stringify(recordings)))(new Request("https://a/api/v2/votes"));
    expect([...new Uint8Array(await replayed.arrayBuffer())]).toEqual(bytes);
  });

  test("have neither headers of requests nor cookies nor the compression", async () => {
    const recordings: Recording[] = [];
    const headers = { "Set-Cookie": "secret", "Content-Encoding": "gzip", "X-Block-Height": "7" };
    const fetch = recordFetch(
      async () => new Response("{}", { headers }),
      (each) => recordings.push(each),
    );
    await fetch(new Request("https://node.example/api/v2/votes", { headers: { Authorization: "secret" } }));
    expect(JSON.stringify(recordings)).not.toMatch(/secret|gzip/);
    expect(recordings[0]?.headers).toContainEqual(["x-block-height", "7"]);
  });

  test("of one request come in their order, and the last one again and again", async () => {
    const recordings: Recording[] = [1, 2].map((number) => ({
      method: "GET",
      path: "/api/v2/votes?a=1&b=2",
      status: 200,
      headers: [],
      body: String(number),
    }));
    const fetch = replayFetch(recordings);
    const bodies = [];
    for (let count = 0; count < 3; count++) {
      bodies.push(await (await fetch(new Request("https://node.example/api/v2/votes?b=2&a=1"))).text());
    }
    expect(bodies).toEqual(["1", "2", "2"]);
  });
});

describe("a request that was not recorded", () => {
  test("gets an error that names the nearest one, and is not retried", async () => {
    const { recordings } = await record();
    let requests = 0;
    const replaying = replayFetch(recordings);
    const fetch = (request: Request) => {
      requests++;
      return replaying(request);
    };
    const client = createClient({ baseUrl, fetch });
    const pagination = { first: 41, newestFirst: false };
    await expect(client.listVotes({ partyId: party, pagination })).rejects.toThrow(
      `GET /api/v2/votes?partyId=${party}&pagination.first=41&pagination.newestFirst=false was not recorded. The nearest recorded ` +
        `request is GET /api/v2/votes?partyId=${party}&pagination.first=40&pagination.newestFirst=false: it does not have ` +
        "pagination.first=41; it has pagination.first=40.",
    );
    expect(requests).toBe(1);
    await expect(client.checkTransaction({ tx: { pubKey: "cd" } })).rejects.toThrow("its body is another one");
    await expect(client.listPartiesProfiles()).rejects.toThrow("The nearest recorded request is GET /api/v2/");
  });

  test("cannot be found in recordings that are none", () => {
    expect(() => replayFetch([])).toThrow("Expected `recordings` to be an array of recordings, got an empty array.");
    expect(() => recordFetch(undefined as never, () => {})).toThrow(
      "Expected `fetch` to be a function, got undefined.",
    );
    expect(() => recordFetch(fetch, undefined as never)).toThrow("Expected `onRecording` to be a function");
  });
});
