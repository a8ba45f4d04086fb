import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transformerTwoslash } from "@shikijs/vitepress-twoslash";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";
import llms from "vitepress-plugin-llms";
import { breakInlineCode } from "./inline-code.js";
import { entries, groups, titleOf } from "./pages.js";
import { markForPhones } from "./phones.js";
import { inlinePictures } from "./pictures.js";
import { previewTags, projectOf, sourceOf } from "./project.js";
import { addRunButtons, samplesPlugin } from "./samples.js";
import { indexOptions, renderForSearch, searchOptions } from "./search.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { version, repository } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));

const project = projectOf(repository);

/** GitHub Pages serves a project below its name. */
const base = process.env["DOCS_BASE"] ?? "/";

const guide = groups.map(({ text, pages }) => ({
  text,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
}));
const reference = [
  { text: "OpenAPI reference", link: "/openapi" },
  {
    text: "API reference",
    link: "/api/",
    collapsed: true,
    items: entries.map((entry) => ({ text: entry, link: `/api/${entry}` })),
  },
];
const commands = readdirSync(`${root}docs/commands`)
  .map((file) => file.replace(/\.md$/, ""))
  .filter((name) => name !== "index");
const added: Record<string, object[]> = {
  Reference: reference,
  "Command line and data": [
    {
      text: "Commands",
      link: "/commands/",
      collapsed: true,
      items: commands.map((name) => ({ text: name, link: `/commands/${name}` })),
    },
  ],
};
const sidebar = guide.map(({ text, items }) => ({ text, items: [...(added[text] ?? []), ...items] }));

/** The first sentence of a page, as its description. */
function summaryOf(page: string): string | undefined {
  const [, paragraph = ""] = /^# .+\n\n([\w`"*[][\s\S]*?)\n\n/m.exec(page) ?? [];
  const text = paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]+\)(?:{[^}]*})?/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ");
  return /^.+?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, ".");
}

export default defineConfig({
  title: "vegaprotocol-client",
  description:
    "Typed client for Vega data nodes: complete pagination, retries, rate limits, and a fake node for tests.",
  lang: "en",
  base,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}icon.svg` }]],
  outDir: `${root}/site`,
  ...(project && { sitemap: { hostname: project.site } }),
  transformPageData({ filePath, frontmatter }) {
    const source = sourceOf(filePath);
    const order = groups.flatMap(({ pages }) => pages);
    const place = order.indexOf(filePath.replace(/\.md$/, ""));
    const link = (page: string | undefined) => page !== undefined && { text: titleOf(page), link: `/${page}` };
    const summary = summaryOf(readFileSync(`${root}/docs/${filePath}`, "utf8"));
    return {
      filePath: source ?? filePath,
      frontmatter: {
        ...frontmatter,
        editLink: source !== undefined,
        // Only names, without the headings "Parameters" and "Returns" of each.
        ...(filePath.startsWith("api/") && { outline: 2 }),
        ...(place !== -1 && { prev: link(order[place - 1]), next: link(order[place + 1]) }),
      },
      ...(summary !== undefined && { description: summary }),
    };
  },
  transformHead({ page, title, description }) {
    const path = page.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, ".html");
    return project && previewTags({ title, description, path }, project);
  },
  vite: {
    // llms.txt (https://llmstxt.org), and the Markdown of each page next to it.
    plugins: [llms({ generateLLMsFullTxt: false }), samplesPlugin],
    build: { target: "es2022" },
  },
  markdown: {
    config(markdown) {
      inlinePictures(markdown);
      markForPhones(markdown);
      breakInlineCode(markdown);
      addRunButtons(markdown);
    },
    // Their contrast is enough for WCAG AA.
    codeTransformers: [transformerTwoslash({ explicitTrigger: true })],
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
    // The same anchors as on GitHub.
    anchor: { slugify: (heading: string) => slug(heading) },
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Operations", link: "/operations" },
      { text: "OpenAPI", link: "/openapi" },
      { text: "API reference", link: "/api/" },
      { text: `v${version}`, link: "/changelog" },
    ],
    sidebar,
    outline: [2, 3],
    notFound: { quote: "The page may have moved. Search for it, or start at the home page.", linkText: "Home page" },
    ...(project && {
      socialLinks: [{ icon: "github", link: project.repository }],
      editLink: { pattern: `${project.repository}/edit/main/:path`, text: "Edit this page on GitHub" },
    }),
    search: {
      provider: "local",
      options: { _render: renderForSearch, miniSearch: { searchOptions, options: indexOptions } },
    },
  },
});
