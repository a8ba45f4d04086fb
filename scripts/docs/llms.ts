import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { groups } from "../../docs/.vitepress/pages.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface SidebarItem {
  text: string;
  link?: string;
  items?: SidebarItem[];
}

/** The pages of a sidebar that a script wrote, as file names without their ending. */
async function readSidebar(file: string): Promise<string[]> {
  const pagesOf = ({ link, items = [] }: SidebarItem): string[] => [
    // The subjects of the API reference are headings of one page.
    ...(link === undefined || link.includes("#") ? [] : [link.replace(/^\//, "")]),
    ...items.flatMap(pagesOf),
  ];
  const items: SidebarItem[] = JSON.parse(await readFile(`${root}/docs/.vitepress/generated/${file}`, "utf8"));
  return items.flatMap(pagesOf);
}

/** Writes `llms.txt` (https://llmstxt.org) into the built site, and the Markdown of each page beside the page. */
export async function writeLlms(): Promise<void> {
  const { name, description } = JSON.parse(await readFile(`${root}/package.json`, "utf8"));
  const sections = [
    ...groups.slice(0, -1),
    { text: "Operations", pages: ["operations/index", ...(await readSidebar("operations-sidebar.json"))] },
    { text: "API reference", pages: ["api/index", ...(await readSidebar("api-sidebar.json"))] },
    ...groups.slice(-1),
  ];
  let list = `# ${name}\n\n> ${description}\n`;
  for (const { text, pages } of sections) {
    list += `\n## ${text}\n\n`;
    for (const page of pages) list += `${await publish(`${page}.md`)}\n`;
  }
  // The Markdown has links to the pictures; the pages contain them.
  await cp(`${root}/docs/pictures`, `${root}/site/pictures`, { recursive: true });
  await writeFile(`${root}/site/llms.txt`, list);
}

/** Copies a page into the site, and returns its line of the list. */
async function publish(file: string): Promise<string> {
  const [source, target] = [join(root, "docs", file), join(root, "site", file)];
  await mkdir(dirname(target), { recursive: true });
  await copyFile(source, target);
  const { title, summary } = describePage(await readFile(source, "utf8"));
  return `- [${title}](${file})${summary === undefined ? "" : `: ${summary}`}`;
}

/** The first heading of a page, and the first sentence of its first paragraph, if it has one. */
export function describePage(page: string): { title: string; summary: string | undefined } {
  const prose = page.replace(/^---\n[\s\S]*?^---\n/, "").replaceAll(/^```[\s\S]*?^```$/gm, "");
  const [, title] = /^# (.+)$/m.exec(prose) ?? [];
  const paragraph = prose.split(/\n{2,}/).find((part) => /^[\w`"*[][\s\S]*[.:]$/.test(part.trim()));
  if (title === undefined) throw new Error(`Expected a page with a heading, got ${page}`);
  const text = paragraph
    ?.trim()
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replaceAll(/\s*\n\s*/g, " ");
  return { title, summary: /^.+?\.(?= [A-Z`]|$)/.exec(text ?? "")?.[0] ?? text?.replace(/:$/, ".") };
}
