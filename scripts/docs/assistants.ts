/**
 * Writes `AGENTS.md` and `SKILL.md`, which show coding assistants how to use the package, from sections of the pages:
 * `tsx scripts/docs/assistants.ts`, with `--check` to compare only.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runScript } from "../run-script.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The sections, in order: a page, and one of its headings. Without a heading, what is before the first one. */
const sections: readonly (readonly [page: string, heading?: string])[] = [
  ["assistants", "Rules"],
  ["getting-started", "Use a real node"],
  ["getting-started", "Read a list"],
  ["getting-started", "Convert values: bigint, dates and amounts"],
  ["getting-started", "Handle errors"],
  ["pagination", "Resume after an error"],
  ["scans"],
  ["following", "Process every record exactly once"],
  ["several-nodes"],
  ["validation"],
  ["testing"],
];

/** A section of a page, with its title and without links, which lead to files that the package does not have. */
function sectionOf(page: string, heading: string | undefined): string {
  const [intro = "", ...others] = page.split(/^(?=## )/m);
  const section =
    heading === undefined ? intro.replace(/^# /, "## ") : others.find((each) => each.startsWith(`## ${heading}\n`));
  if (section === undefined) throw new Error(`Expected a page with the heading "${heading}".`);
  return section
    .replaceAll(/^!\[.*\n/gm, "")
    .replaceAll(/^<!-- search: [^>]+-->\n\n/gm, "")
    .replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, "$1")
    .trim();
}

/** The contents of both files by name. */
export async function assistantFiles(): Promise<Record<string, string>> {
  const { name, description } = JSON.parse(await readFile(`${root}/package.json`, "utf8"));
  const texts = await Promise.all(
    sections.map(async ([page, heading]) => sectionOf(await readFile(`${root}/docs/${page}.md`, "utf8"), heading)),
  );
  const body = texts.join("\n\n");
  const source = "<!-- Written by `npx tsx scripts/docs/assistants.ts` from docs/. -->";
  return {
    "AGENTS.md": `${source}\n\n# Use ${name}\n\n${description} To change the package itself, read CONTRIBUTING.md.\n\n${body}\n`,
    "SKILL.md": `---\nname: ${name}\ndescription: Use when code reads votes, party profiles, balance changes, node signatures or spam statistics of a Vega data node, or checks a Vega transaction, in TypeScript or JavaScript.\n---\n\n${source}\n\n# ${name}\n\n${description}\n\n${body}\n`,
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  for (const [name, text] of Object.entries(await assistantFiles())) {
    if (!values.check) await writeFile(`${root}/${name}`, text);
    else if ((await readFile(`${root}/${name}`, "utf8")) !== text) {
      throw new Error(
        `${name} does not match docs/. Run \`npx tsx scripts/docs/assistants.ts\` and commit its output.`,
      );
    }
  }
}

await runScript(import.meta.url, main);
