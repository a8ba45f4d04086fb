import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../..", import.meta.url));
const docs = `${root}/docs`;

interface Operation {
  operationId: string;
  summary: string;
  description: string;
}

/** Writes a page for each operation of `openapi.yaml`, a page that lists them, their sidebar, and the description as JSON. */
export async function writeOperations(): Promise<void> {
  const source = await readFile(`${root}/openapi.yaml`, "utf8");
  const description = parse(source);
  const operations = Object.values(description.paths as Record<string, Record<string, Operation>>).flatMap((path) =>
    Object.values(path),
  );
  for (const folder of ["operations", "public", ".vitepress/generated"])
    await mkdir(`${docs}/${folder}`, { recursive: true });
  await writeFile(`${docs}/.vitepress/generated/openapi.json`, JSON.stringify(description));
  await writeFile(`${docs}/public/openapi.yaml`, source);
  for (const { operationId, summary, description } of operations) {
    const page = `# ${summary}\n\n${description}\n\n<OAOperation operationId="${operationId}" />\n`;
    await writeFile(`${docs}/operations/${operationId}.md`, page);
  }
  const list = operations.map(({ operationId, summary }) => `- [${summary}](${operationId}.md)`);
  await writeFile(`${docs}/operations/index.md`, `# Operations\n\n${list.join("\n")}\n`);
  const sidebar = operations.map(({ operationId, summary }) => ({ text: summary, link: `/operations/${operationId}` }));
  await writeFile(`${docs}/.vitepress/generated/operations-sidebar.json`, JSON.stringify(sidebar));
}

/** Copies the changelog next to the pages. */
export async function writeChangelog(): Promise<void> {
  const changelog = await readFile(`${root}/CHANGELOG.md`, "utf8");
  await writeFile(`${docs}/changelog.md`, changelog.replaceAll("](docs/", "]("));
}
