// The fake node, held against recorded responses of a v0.74.0 and a v0.79.0 data node: it must respond to each recorded request in the
// same way. Without the recordings (`VEGA_TAPE`), these tests are skipped.
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../src/testing/index.js";
import { toName } from "../../src/values/names.js";
import { hasTape, hasTapeOfNewer, limits, type Recording, recordings, worldData } from "../support/tape.js";

/** Sends a recorded request, and returns the differences from the recorded response; `undefined` if there are none. */
async function difference(node: FakeNode, recording: Recording): Promise<string | undefined> {
  const { method, path, requestHeaders = {}, body, status, bodyText = "", ties = false } = recording;
  const init = { method, headers: requestHeaders, ...(body !== undefined && body !== "" && { body }) };
  const response = await node.fetch(`https://node.example${path}`, init);
  const text = await response.text();
  const got = { status: response.status, headers: comparable([...response.headers]) };
  const expected = { status, headers: comparable(recording.headers) };
  // The tokens that were left depend on when the requests were sent.
  if (got.headers["ratelimit-remaining"] !== undefined) {
    expected.headers["ratelimit-remaining"] &&= got.headers["ratelimit-remaining"];
  }
  const name = `${recording.case ?? ""} ${method} ${path} ${body?.slice(0, 1000) ?? ""}`;
  if (!isDeepStrictEqual(got, expected)) return `${name}\n${show(got)}\n${show(expected)}`;
  if (ties || beyond.test(recording.case ?? "") || isDeepStrictEqual(content(text, status), content(bodyText, status)))
    return undefined;
  return `${name}\n${text.slice(0, 1500)}\n${bodyText.slice(0, 1500)}`;
}

const show = (value: unknown) => JSON.stringify(value);

/** Headers by their names in lower case; without headers of the connection, and without the address of the client. */
function comparable(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  all.delete("content-length");
  all.delete("transfer-encoding");
  const address = "ratelimit-request-remote-addr";
  if (all.has(address)) all.set(address, "");
  const allowed = all.get("access-control-allow-headers");
  // Browsers send these names in lower case, and do not mind the case of the response.
  if (allowed) all.set("access-control-allow-headers", allowed.toLowerCase().replaceAll(" ", ""));
  return Object.fromEntries(all);
}

/** What a response says: the parsed body; of an error, its codes. */
function content(text: string, status: number): unknown {
  if (text === "" || !text.startsWith("{")) return text;
  const body = JSON.parse(text);
  if (status < 400) return comparableBody(body);
  return { code: body.code, details: body.details.map(({ code }: { code: number }) => code) };
}

/** Without the hash of the last block, which spam statistics have, and with cursors as their JSON says, whose escapes differ. */
const comparableBody = (body: object) =>
  JSON.parse(JSON.stringify(body), (name, value) => {
    if (name === "blockHash") return "";
    return /cursor$/i.test(name) && value !== "" ? JSON.parse(Buffer.from(value, "base64").toString()) : value;
  });

async function differences(node: FakeNode, all: readonly Recording[]): Promise<string[]> {
  const found = await Promise.all(all.map((recording) => difference(node, recording)));
  return found.filter((each) => each !== undefined);
}

function expectNone(found: readonly string[], of: number): void {
  expect(`${found.length} of ${of} differ\n${found.slice(0, 3).join("\n\n")}`).toBe(`0 of ${of} differ\n`);
}

/** What only a node with cryptography, the network's state and the rules of each command can tell. */
const beyond =
  /^(?:signature wrong|another chain|pow wrong nonce|signed (?:badorder|delegate|createset|vote)|height 0)$/;
/**
 * Submission is no operation of the interface; other names and types of members, a byte order mark and a damaged path are read by the
 * gateway alone.
 */
const elsewhere =
  /^(?:path \/transaction$|snake_case|nonce |version (?:text|FOO)|(?:pow|signature) text|signature version|pubKey number|utf-8|broken)/;
/** Spellings that no client sends: names with escapes, `list[]=a`, a value of a group, and Latin-1. */
const otherSpelling = /\[|%5B|[?&](?:filter|dateRange|pagination)=|(?:first|parties)\.x=|%E9|%6F/;

const lists = ["listVotes", "listPartiesProfiles", "listBalanceChanges", "listNodeSignatures", "unknownPaths"];

describe.each([
  ["v0.74", hasTape, lists],
  ["v0.79", hasTapeOfNewer, [...lists, "listBalanceChanges-ranged"]],
] as const)("the fake node of %s with all defects", (version, isThere, names) => {
  test.skipIf(!isThere).each(names)("responds to every recorded request of %s as the real node did", async (name) => {
    // The day of the recording: an open end of a range is the clock of the node.
    const now = () => Date.UTC(2026, 10, 15);
    const node = createFakeNode(worldData(), { version, now, defects: nodeDefects, rateLimit: false });
    const all = recordings(name, version).filter(({ path }) => !otherSpelling.test(path));
    expectNone(await differences(node, all), all.length);
  });
});

test.skipIf(!hasTapeOfNewer)("every recorded cursor has the described number of its account type", () => {
  const { enums } = operations.listBalanceChanges;
  const all = (["v0.74", "v0.79"] as const).flatMap((version) => recordings("listBalanceChanges", version));
  const found = new Set<string>();
  for (const { bodyText = "" } of all.filter(({ status }) => status === 200)) {
    for (const { cursor, node } of JSON.parse(bodyText).balances.edges) {
      expect(toName(enums.accountType, JSON.parse(atob(cursor)).Type)).toBe(node.accountType);
      found.add(node.accountType);
    }
  }
  expect(found.size).toBe(14);
});

describe.skipIf(!hasTape)("the fake node", () => {
  test("responds to every recorded check and request for spam statistics as the real node did, at the same block", async () => {
    let now = 0;
    const block = { height: 1n, timestamp: 1n };
    const node = createFakeNode({ votes: [], block }, { chainId: "test-core-1", now: () => now });
    const all = recordings("check").filter(({ case: name = "" }) => !elsewhere.test(name));
    const found: string[] = [];
    for (const recording of all) {
      const headers = new Map(recording.headers);
      const [height, timestamp] = ["X-Block-Height", "X-Block-Timestamp"].map((name) => BigInt(headers.get(name) ?? 0));
      if (height && timestamp && height > node.block.height) node.nextBlock({ block: { height, timestamp } });
      // The bucket is full before each request: how full it was is not recorded.
      now += 10_000;
      found.push(...(await differences(node, [withBody(recording)])));
    }
    expectNone(found, all.length);
  });

  test("limits the rate and bans a client as the real node did, at the recorded times", async () => {
    const { sequence, ban } = limits();
    for (const all of [sequence, ban]) {
      let now = all[0]?.atMs ?? 0;
      const node = createFakeNode(worldData(), { now: () => now });
      const found: string[] = [];
      let offByOne = 0;
      for (const recording of all) {
        now = recording.atMs ?? now;
        const response = await node.fetch(`https://node.example${recording.path}`);
        // The recorded node had no core behind it that could answer for spam statistics.
        if (recording.status === 503) continue;
        if (response.status !== recording.status) offByOne++;
        else if (!isAlike([...response.headers], recording.headers)) found.push(`${recording.atMs}: ${recording.path}`);
      }
      expectNone(found, all.length);
      // The recorded time is when the request was sent: a node that counts a millisecond later has a token more or less.
      expect(offByOne).toBeLessThan(all.length * 0.04);
    }
  });
});

/** Whether headers are the same, the tokens that are left and the seconds of a ban to within one. */
function isAlike(got: [string, string][], recorded: [string, string][]): boolean {
  const [a, b] = [comparable(got), comparable(recorded)];
  const near = (name: string) => Math.abs(Number(a[name] ?? 0) - Number(b[name] ?? 0)) <= 1;
  const names = (headers: object) => Object.keys(headers).filter((name) => !name.startsWith("x-block"));
  return (
    isDeepStrictEqual(new Set(names(a)), new Set(names(b))) &&
    ["ratelimit-remaining", "ratelimit-retry-after"].every(near) &&
    ["content-type", "ratelimit-limit", "ratelimit-reset"].every((name) => a[name] === b[name])
  );
}

/** A recording with the body that its note describes, if that was too long to be recorded. */
function withBody(recording: Recording): Recording {
  const { bodyStart, bodyLength, body } = recording;
  if (bodyStart === undefined || bodyLength === undefined) return recording;
  const end = '"}}';
  return { ...recording, body: body ?? bodyStart.padEnd(bodyLength - end.length, "A") + end };
}
