import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { freePort } from "../../support/free-port.js";
import { linkPackage } from "../../support/link-package.js";
import { kill, run } from "../../support/run.js";
import { collectSamples, root } from "../../support/samples/collect.js";

// The recipes for Next.js, as it builds and serves them.
/** Has Next.js. */
const tools = fileURLToPath(new URL("../runtimes", import.meta.url));
const folder = join(tools, "reports/next");
const next = join(tools, "node_modules/next/dist/bin/next");
const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };
const partyId = "ab".repeat(32);
const node = createFakeNode({ votes: 300, balances: 4000, profiles: 30, party: partyId }, { rateLimit: false });
const proposalId = node.records.votes[0]?.proposalId ?? "";

/** The files of an application, without the recipes. */
const application = {
  "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(root)} } };`,
  "package.json": '{ "type": "module" }',
  // Without one, Next.js takes that of the project, in which the package's name leads to its source.
  "tsconfig.json": '{ "compilerOptions": { "jsx": "react-jsx" } }',
  "app/layout.tsx": `import type { ReactNode } from "react";
import { Providers } from "./providers";
export default function Layout({ children }: { children: ReactNode }) {
  return <html lang="en"><body><Providers>{children}</Providers></body></html>;
}`,
  "app/providers.tsx": `"use client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(() => new QueryClient());
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}`,
  "app/refresh/route.ts": `import { revalidateTag } from "next/cache";
export function POST() {
  revalidateTag("profiles", { expire: 0 });
  return new Response();
}`,
};

let address: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  npmCi(tools);
  linkPackage(join(tools, "node_modules"));
  const { url, close } = await listen(node);
  closing.push(close);
  rmSync(folder, { recursive: true, force: true });
  const recipes = collectSamples().flatMap(({ code }) => {
    const [, path] = /^\/\/ (app\/\S+)\n/.exec(code) ?? [];
    return path === undefined ? [] : [[path, code.replaceAll(/"https?:\/\/node\.[^"]+"/g, `"${url}"`)] as const];
  });
  expect(recipes).toHaveLength(4);
  for (const [path, content] of [...Object.entries(application), ...recipes]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  await run(process.execPath, [next, "build", folder], { env });
  const port = `${await freePort()}`;
  const args = [next, "start", folder, "--port", port];
  const server = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  closing.push(() => kill(server));
  address = `http://localhost:${port}`;
  for await (const text of server.stdout) if (`${text}`.includes("Ready")) break;
}, 300_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const get = (path: string) => fetch(`${address}${path}`);

test("a page has the votes on a proposal before the browser requests them, and none for what is no id", async () => {
  const response = await get(`/votes/${proposalId}`);
  expect(response.status).toBe(200);
  expect((await response.text()).match(/<li>VALUE_/g)).toHaveLength(100);
  expect((await get("/votes/x")).status).toBe(404);
});

test("a profile is read from the node once, until its tag is revalidated", async () => {
  const read = async () => {
    const response = await get(`/profile?partyId=${partyId}`);
    expect(await response.json()).toMatchObject({ partyId });
    return node.requests.filter(({ operation }) => operation === "listPartiesProfiles").length;
  };
  expect(await read()).toBe(1);
  expect(await read()).toBe(1);
  expect((await fetch(`${address}/refresh`, { method: "POST" })).status).toBe(200);
  expect(await read()).toBe(2);
  expect((await get("/profile")).status).toBe(400);
  expect((await get(`/profile?partyId=${"0".repeat(64)}`)).status).toBe(404);
});

test("every balance change of a party is streamed", async () => {
  const lines = (await (await get(`/changes?partyId=${partyId}`)).text()).trimEnd().split("\n");
  expect(lines).toHaveLength(node.records.balances.filter((each) => each.partyId === partyId).length);
  expect((await get("/changes?partyId=x")).status).toBe(400);
});
