import { fileURLToPath } from "node:url";
import { type Plugin, transformWithEsbuild } from "vite";
import { collectSamples, type Sample } from "../../test/support/samples/collect.js";
import { entries } from "../../test/support/samples/entries.js";
import * as setting from "../../test/support/samples/setting.js";

const pages = ["index", "getting-started", "reports"];

/** The samples of some pages that show what they print. A button runs each one in the page, against a fake node. */
const samples = new Map<string, Sample>();
for (const sample of collectSamples()) {
  const [, page = "", line] = /^docs\/(.+)\.md:(\d+)$/.exec(sample.place) ?? [];
  if (pages.includes(page) && sample.output !== undefined) samples.set(`${page}-${line}`, sample);
}

/** The names that a sample does not have to declare, with the modules that have them. */
const known = new Map<string, string>();
for (const entry of entries) for (const name of Object.keys(await import(entry))) known.set(name, entry);
const settingFile = fileURLToPath(new URL("../../test/support/samples/setting.ts", import.meta.url));
for (const name of Object.keys(setting)) known.set(name, settingFile);

/** A module with the sample as a function, whose `console` is the one of the page. */
function moduleOf({ code }: Sample): string {
  const own = code.match(/^import [\s\S]*?;$/gm) ?? [];
  const imported = own.map((line) => line.replace(/ from .*/, "")).join();
  const body = code.replaceAll(/^import [\s\S]*?;$/gm, "");
  const isUsed = (name: string, text: string) => new RegExp(`\\b${name}\\b`).test(text);
  const others = [...known]
    .filter(([name]) => isUsed(name, body) && !isUsed(name, imported))
    .map(([name, from]) => `import { ${name} } from ${JSON.stringify(from)};`);
  return `${[...own, ...others].join("\n")}\nexport async function run(console) {\n${body}\n}`;
}

const prefix = "virtual:samples";

/** Makes `virtual:samples`, which loads each sample when it is run. */
export const samplesPlugin: Plugin = {
  name: "samples",
  resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
  async load(id) {
    if (!id.startsWith(`\0${prefix}`)) return undefined;
    const sample = samples.get(id.slice(prefix.length + 2));
    if (sample !== undefined) return (await transformWithEsbuild(moduleOf(sample), "sample.ts")).code;
    const all = [...samples.keys()].map((name) => `"${name}": () => import("${prefix}/${name}")`);
    return `export const samples = { ${all.join(", ")} };`;
  },
};

/** As much of markdown-it as is used here. */
interface Markdown<T> {
  core: { ruler: { push(name: string, rule: (state: State<T>) => void): void } };
}
interface State<T> {
  tokens: T[];
  Token: new (type: string, tag: string, nesting: 0) => T;
}

/** Adds a button behind what a sample prints. */
export function addRunButtons<T extends { type: string; content: string }>(markdown: Markdown<T>): void {
  markdown.core.ruler.push("run-buttons", (state) => {
    state.tokens = state.tokens.flatMap((token, index) => {
      const before = state.tokens[index - 1];
      const [name] = [...samples].find(([, { code, output }]) => {
        return token.type === "fence" && before?.content === code && token.content === output;
      }) ?? [undefined];
      if (name === undefined) return [token];
      const content = `<RunSample name="${name}" />\n`;
      return [token, Object.assign(new state.Token("html_block", "", 0), { content })];
    });
  });
}
