import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { afterAll, expect, test } from "vitest";

const entry = fileURLToPath(new URL("../../../dist/src/index.js", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "size-"));
afterAll(() => rm(folder, { recursive: true }));

/** An application with one call, one loop over a list, and a scan that few of its users start. */
const app = `
import { createClient } from "vegaprotocol-client";
const client = createClient({ baseUrl: "https://node.example" });
console.log(await client.getSpamStatistics({ partyId: "a" }));
for await (const vote of client.listVotes({ partyId: "a" })) console.log(vote);
document.body.onclick = async () => console.log(await client.scanBalanceChanges().toArray());
`;

async function bundle(): Promise<Rolldown.OutputChunk[]> {
  const input = join(folder, "app.js");
  await writeFile(input, app);
  const result = await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    resolve: { alias: { "vegaprotocol-client": entry } },
    build: { target: "es2022", write: false, modulePreload: false, rolldownOptions: { input } },
  });
  const [{ output }] = [result].flat() as [Rolldown.RolldownOutput];
  return output.filter((file) => file.type === "chunk");
}

test("an application that Vite builds loads the code of lists and scans when one is used", async () => {
  const chunks = await bundle();
  const closure = (chunk: Rolldown.OutputChunk | undefined, found = new Set<Rolldown.OutputChunk>()) => {
    if (chunk === undefined || found.has(chunk)) return found;
    found.add(chunk);
    for (const name of chunk.imports)
      closure(
        chunks.find(({ fileName }) => fileName === name),
        found,
      );
    return found;
  };
  const chunkOf = (module: string) =>
    closure(chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${module}.js`)));
  const sizeOf = (loaded: Iterable<Rolldown.OutputChunk>) =>
    [...loaded].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
  const initial = closure(chunks.find(({ isEntry }) => isEntry));
  const sizes = { initial: sizeOf(initial), lists: sizeOf(chunkOf("lists")) - sizeOf(initial), total: sizeOf(chunks) };
  console.table(sizes);
  expect(sizes.initial).toBeLessThan(20_500);
  // The application and the client: a browser does not load dozens of files.
  expect(initial.size).toBeLessThanOrEqual(2);
  expect(sizes.lists).toBeGreaterThan(9000);
  expect(sizes.total).toBeLessThan(38_500);
});
