import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { createFakeNode, type FakeNode, nodeDefects } from "../../src/testing/index.js";
import { hasTape, type Recording, recordings, worldData } from "../support/tape.js";

/** Sends a recorded request, and tells in what the response differs from the recorded one; `undefined` if in nothing. */
async function difference(node: FakeNode, recording: Recording): Promise<string | undefined> {
  const { method, path, requestHeaders = {}, body, status, bodyText = "", ties = false } = recording;
  const init = { method, headers: requestHeaders, ...(body !== undefined && body !== "" && { body }) };
  const response = await node.fetch(`https://node.example${path}`, init);
  const text = await response.text();
  const got = { status: response.status, headers: comparable([...response.headers]) };
  const expected = { status, headers: comparable(recording.headers) };
  const name = `${method} ${path} ${body ?? ""}`;
  if (!isDeepStrictEqual(got, expected)) return `${name}\n${show(got)}\n${show(expected)}`;
  if (ties || isDeepStrictEqual(content(text, status), content(bodyText, status))) return undefined;
  return `${name}\n${text.slice(0, 1500)}\n${bodyText.slice(0, 1500)}`;
}

const show = (value: unknown) => JSON.stringify(value);

/** Headers by their names in lower case; without those of the connection, and without the address of the client. */
function comparable(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (key === "content-length" || key === "transfer-encoding") continue;
    all[key] = key === "ratelimit-request-remote-addr" ? "" : all[key] === undefined ? value : `${all[key]}, ${value}`;
  }
  return all;
}

/** What a response says: the parsed body; of an error, its codes. */
function content(text: string, status: number): unknown {
  if (text === "" || !text.startsWith("{")) return text;
  const body = JSON.parse(text);
  if (status < 400) return body;
  return { code: body.code, details: body.details.map(({ code }: { code: number }) => code) };
}

async function differences(node: FakeNode, all: readonly Recording[]): Promise<string[]> {
  const found = await Promise.all(all.map((recording) => difference(node, recording)));
  return found.filter((each) => each !== undefined);
}

function expectNone(found: readonly string[], of: number): void {
  expect(`${found.length} of ${of} differ\n${found.slice(0, 3).join("\n\n")}`).toBe(`0 of ${of} differ\n`);
}

describe.skipIf(!hasTape)("the fake node with all defects", () => {
  test.each(["listVotes", "listPartiesProfiles", "listBalanceChanges", "listNodeSignatures", "unknownPaths"])(
    "responds to every recorded request of %s as the real node did",
    async (name) => {
      const node = createFakeNode(worldData(), { defects: nodeDefects, rateLimit: false });
      const all = recordings(name);
      expectNone(await differences(node, all), all.length);
    },
  );
});
