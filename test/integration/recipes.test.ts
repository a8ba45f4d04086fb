import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { collectSamples, root } from "../support/samples/collect.js";
import { change, node, fetch as send } from "../support/samples/setting.js";

const partyId = change.partyId ?? "";
/** The second argument of each `fetch`. */
const inits: unknown[] = [];
// The recipes use the global `fetch`.
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  inits.push(init);
  return send(input, init);
};
afterAll(() => {
  globalThis.fetch = fetch;
});
beforeEach(() => {
  inits.length = 0;
  node.configure({ faults: [] });
});

type Handle = (request: Request) => Promise<Response>;

/** Loads the program of a recipe that has a text in it. */
async function load(name: string, text: string) {
  const recipes = collectSamples().filter(({ place }) => /^docs\/recipes-(?:next|servers)\.md/.test(place));
  const sample = recipes.find(({ code }) => code.includes(text));
  // Inside the package, so that its name resolves to its build.
  const folder = join(root, "reports/recipes");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, sample?.code ?? "");
  return import(/* @vite-ignore */ file);
}

const profile = (await load("profile", "// app/profile/route.ts")).GET as Handle;
const changes = (await load("changes", "// app/changes/route.ts")).GET as Handle;
const { default: module } = await load("worker", "async fetch(request: Request, env");
const worker: Handle = (request) => module.fetch(request, { NODE_URL: "https://node.example" });

const ask = (handle: Handle, party: string) => handle(new Request(`https://app.example/?partyId=${party}`));

const handlers: [name: string, handle: Handle][] = [
  ["the cached route handler of Next.js", profile],
  ["the streaming route handler of Next.js", changes],
  ["the Worker of Cloudflare", worker],
];

describe.each(handlers)("%s", (_, handle) => {
  const wrong = ["", "a", "../x", `${partyId}0`, `${partyId},${partyId}`];
  test.each(wrong)("responds with 400 and what it expected, and sends nothing, for the party %j", async (input) => {
    const response = await ask(handle, input);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: "Expected partyId, 64 hexadecimal digits." });
    expect(inits).toEqual([]);
  });

  test("responds with 404 for a party that the node does not know", async () => {
    const response = await ask(handle, "0".repeat(64));
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/^No .*\.$/) });
  });

  test("responds with 502 if the node fails, without its address", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    node.configure({ faults: [{ name: "html", status: 501 }] });
    const response = await ask(handle, partyId);
    expect([response.status, await response.text()]).toEqual([502, '{"error":"The node failed."}']);
    expect(printed.mock.calls).toEqual([[expect.stringContaining("https://node.example/api/v2/")]]);
  });
});

test("the cached route handler of Next.js responds with the profile, and passes how long it is cached", async () => {
  const response = await ask(profile, partyId);
  expect(await response.json()).toMatchObject({ partyId, metadata: expect.any(Array) });
  expect(inits).toEqual([{ next: { revalidate: 60, tags: ["profiles"] } }]);
});

test("the streaming route handler of Next.js responds with every balance change of the party", async () => {
  const response = await ask(changes, partyId);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const lines = (await response.text()).trimEnd().split("\n");
  const times = lines.map((line) => JSON.parse(line).timestamp);
  const expected = node.records.balances.filter((record) => record.partyId === partyId);
  expect(times.sort()).toEqual(expected.map(({ timestamp }) => timestamp).sort());
});

test("the Worker of Cloudflare responds with a page of balance changes", async () => {
  const page = await (await ask(worker, partyId)).json();
  expect(page.nodes.length).toBeGreaterThan(0);
  expect(page).toMatchObject({ pageInfo: { hasPreviousPage: false }, block: { height: expect.any(String) } });
});

// The clients wait from here on.
const limited = handlers.filter(([, handle]) => handle !== changes);
test.each(limited)("%s responds with 503 and the time to wait while the node limits the rate", async (_, handle) => {
  node.configure({ faults: [{ name: "status", status: 429, headers: { "Retry-After": "600" } }] });
  const response = await ask(handle, partyId);
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(500);
});
