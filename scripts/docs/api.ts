import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";
import { titleOf as guideTitle } from "../../docs/.vitepress/pages.js";
import type { PublicName } from "./public-names.js";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));

interface Subject {
  text: string;
  /** The page of the guide. */
  guide?: string;
  /** An entry of the package, or files and folders. The longest one that a file begins with decides. */
  places: readonly string[];
}

/** The subjects of the API reference, in the order of the sidebar. */
export const subjects: readonly Subject[] = [
  { text: "Client", guide: "getting-started", places: ["src/client/client.ts", "src/http/"] },
  {
    text: "Options",
    guide: "errors",
    places: ["src/client/client-options.ts", "src/http/call-options.ts", "src/http/retry-options.ts"],
  },
  { text: "Arguments", places: ["generated/client.ts"] },
  { text: "Records", places: ["generated/types.ts"] },
  { text: "Enumerations", places: ["generated/enums.ts"] },
  {
    text: "Pagination",
    guide: "pagination",
    places: ["src/list/", "src/client/listing.ts", "src/evidence/node-page.ts"],
  },
  { text: "Scans", guide: "scans", places: ["src/scan/", "src/client/scan.ts"] },
  { text: "Errors", guide: "errors", places: ["src/errors/"] },
  { text: "Values", places: ["src/values/"] },
  { text: "Events", guide: "errors", places: ["src/http/events.ts"] },
  { text: "Several nodes", guide: "several-nodes", places: ["vegaprotocol-client/pool", "src/client/node-pool.ts"] },
  { text: "Following", guide: "following", places: ["vegaprotocol-client/follow"] },
  { text: "Reports", guide: "reports", places: ["vegaprotocol-client/reports"] },
  { text: "Query libraries", guide: "recipes-ui", places: ["vegaprotocol-client/query"] },
  { text: "Operations", places: ["vegaprotocol-client/operations"] },
  { text: "Validation", guide: "validation", places: ["vegaprotocol-client/validate"] },
  { text: "Testing", guide: "testing", places: ["vegaprotocol-client/testing", "vegaprotocol-client/testing/node"] },
];

/** The subject of a name, which follows from where it lives. */
export function subjectOf({ name, entry, file }: PublicName): Subject {
  const isOf = (place: string) => entry === place || file.startsWith(place);
  const length = ({ places }: Subject) => Math.max(...places.filter(isOf).map((place) => place.length));
  const [first] = subjects.filter(({ places }) => places.some(isOf)).sort((a, b) => length(b) - length(a));
  if (!first) throw new Error(`Expected scripts/docs/api.ts to have a subject for ${name} of ${file}.`);
  return first;
}

/** The names of a subject: functions, then other values, then types. */
export function namesOf(subject: Subject, names: readonly PublicName[]): PublicName[] {
  const rank = ({ isFunction, isType }: PublicName) => (isFunction ? 0 : isType ? 2 : 1);
  return names.filter((each) => subjectOf(each) === subject).sort((a, b) => rank(a) - rank(b));
}

export function titleOf({ name, isFunction }: PublicName): string {
  return isFunction ? `${name}()` : name;
}

/** The first sentence of a docstring. */
export function summaryOf({ description }: PublicName): string {
  const text = description.replaceAll("\n", " ");
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

/**
 * Completes the pages that TypeDoc wrote, one for each name: with what a name is imported from and its page of the guide. Writes
 * the page that lists all names, and their sidebar.
 */
export async function writeApi(names: readonly PublicName[]): Promise<void> {
  const files = await readdir(`${docs}/api`, { recursive: true });
  // Windows separates folders by another character than links do.
  const pages = new Map(files.map((file) => [parse(file).name, file.replaceAll("\\", "/")]));
  const pageOf = ({ name }: PublicName): string => {
    const page = pages.get(name);
    if (page === undefined) throw new Error(`Expected docs/api to have a page for ${name}.`);
    return page;
  };
  const groups = subjects.map((subject) => ({ subject, members: namesOf(subject, names) }));
  for (const { subject, members } of groups)
    for (const member of members) await completePage(`${docs}/api/${pageOf(member)}`, member, subject);
  const sections = groups.map(({ subject, members }) => {
    const lines = members.map((each) => `- [\`${titleOf(each)}\`](${pageOf(each)}): ${summaryOf(each)}`);
    const entries = [...new Set(members.map(({ entry }) => entry))].map((entry) => `\`${entry}\``);
    return `## ${subject.text}\n\nImported from ${entries.join(" and ")}.\n\n${lines.join("\n")}\n`;
  });
  await writeFile(
    `${docs}/api/index.md`,
    `# API reference\n\nEvery name that the package exports.\n\n${sections.join("\n")}`,
  );
  const sidebar = groups.map(({ subject, members }) => ({
    text: subject.text,
    link: `/api/#${subject.text.toLowerCase().replaceAll(" ", "-")}`,
    collapsed: true,
    items: members.map((each) => ({ text: titleOf(each), link: `/api/${pageOf(each).replace(".md", "")}` })),
  }));
  await mkdir(`${docs}/.vitepress/generated`, { recursive: true });
  await writeFile(`${docs}/.vitepress/generated/api-sidebar.json`, JSON.stringify(sidebar));
}

async function completePage(file: string, member: PublicName, { guide }: Subject): Promise<void> {
  const { name, entry, isType } = member;
  const statement = `\`\`\`ts\nimport ${isType ? "type " : ""}{ ${name} } from "${entry}";\n\`\`\``;
  const page = await readFile(file, "utf8");
  const link = guide === undefined ? "" : `\nGuide: [${guideTitle(guide)}](../../${guide}.md)\n`;
  await writeFile(file, page.replace(/^# .+\n/, () => `# ${titleOf(member)}\n\n${statement}\n`) + link);
}
