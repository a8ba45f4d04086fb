import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { collectSamples, root } from "../support/samples/collect.js";

// The samples use the global `fetch`, which the setting replaces with that of a fake node.
const { fetch } = globalThis;
afterAll(() => {
  globalThis.fetch = fetch;
});
const { partyId, change } = await import("../support/samples/setting.js");
const account = change.partyId ?? "";

/** Loads the program of a recipe that has a text in it. */
async function load(name: string, text: string) {
  const sample = collectSamples().find(({ place, code }) => place.startsWith("docs/recipes.md") && code.includes(text));
  // Inside the package, so that its name resolves to its build.
  const folder = join(root, "reports/recipes");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, sample?.code ?? "");
  return import(/* @vite-ignore */ file);
}

const address = (party: string) => `https://app.example/?partyId=${party}`;
const inputs = ["", "a", "../x", `${partyId}0`];

describe("the route handler of Next.js", () => {
  test("streams the balance changes of a party, and rejects what is no party", async () => {
    const { GET } = await load("next", "export async function GET");
    const response: Response = await GET(new Request(address(account)));
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = (await response.text()).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).partyId)).toEqual(lines.map(() => account));
    for (const input of inputs) expect((await GET(new Request(address(input)))).status).toBe(400);
  });
});

describe("the Worker of Cloudflare", () => {
  test("responds with the statistics of a party, and rejects what is no party", async () => {
    const { default: worker } = await load("worker", "async fetch(request: Request, env");
    const env = { NODE_URL: "https://node.example" };
    const response: Response = await worker.fetch(new Request(address(partyId)), env);
    expect(await response.json()).toMatchObject({ statistics: { epochSeq: expect.stringMatching(/^\d+$/) } });
    for (const input of inputs) expect((await worker.fetch(new Request(address(input)), env)).status).toBe(400);
  });
});
