/**
 * Builds the pages into `site/`: the guide and the API of the package with TypeDoc, the six operations with Redocly. The
 * folder can be opened from disk or served by any host.
 */
import { execFileSync } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { runScript } from "./run-script.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");
const operations = join(site, "operations.html");

function run(tool: string, ...args: string[]): void {
  execFileSync(process.execPath, [join(root, "node_modules", tool), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function main(): Promise<void> {
  run("typedoc/bin/typedoc", "--logLevel", "Warn");
  const description = join(site, "openapi.yaml");
  await writeFile(description, stringify(withSamples(parse(await readFile(join(root, "openapi.yaml"), "utf8")))));
  const redocly = ["build-docs", description, "--inlineBundle", "--output", operations];
  const template = ["--template", "scripts/docs/operations.hbs", "--title", "Vega network operations"];
  run("@redocly/cli/bin/cli.js", ...redocly, ...template);
  await rm(description);

  // Redocly's logo is loaded from its own host. A text replaces it, so that the page sends no request.
  const mark = `<svg xmlns="http://www.w3.org/2000/svg" width="50" height="14"><text y="11" font-size="11" fill="gray">Redocly</text></svg>`;
  const page = await readFile(operations, "utf8");
  const address = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(?:-full)?\.svg/g;
  await writeFile(operations, page.replaceAll(address, `data:image/svg+xml;base64,${btoa(mark)}`));

  for (const entry of await readdir(site, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith(".html") || entry.name === "operations.html") continue;
    const file = join(entry.parentPath, entry.name);
    const html = (await readFile(file, "utf8"))
      .replaceAll("https://operations.invalid/", relative(dirname(file), operations))
      // Browsers do not load icons from a second file on disk. TypeDoc's script adds the icons to the page as well.
      .replaceAll(/"[^"]*assets\/icons\.svg#/g, '"#');
    await writeFile(file, html);
  }
  console.log(
    `The pages are in ${relative(process.cwd(), site)}: open ${relative(process.cwd(), join(site, "index.html"))}.`,
  );
}

interface Description {
  paths: Record<string, Record<string, { description: string; "x-codeSamples": { lang: string; source: string }[] }>>;
}

/** Redoc shows only the first sample of an operation, so the sample of the client is appended to the description. */
function withSamples(description: Description): Description {
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    const sample = operation["x-codeSamples"].find(({ lang }) => lang === "TypeScript");
    operation.description += `\n\nWith the client:\n\n\`\`\`ts\n${sample?.source}\`\`\`\n`;
  }
  return description;
}

await runScript(import.meta.url, main);
