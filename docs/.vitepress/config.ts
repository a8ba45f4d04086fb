import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { slug } from "github-slugger";
import { type DefaultTheme, defineConfig } from "vitepress";
import { describePage } from "../../scripts/docs/llms.js";
import { breakInlineCode } from "./inline-code.js";
import { groups, titleOf } from "./pages.js";
import { markForPhones } from "./phones.js";
import { inlinePictures } from "./pictures.js";
import { previewTags, projectOf, sourceOf } from "./project.js";
import { indexOptions, renderForSearch, searchOptions } from "./search.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { version, repository } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));

const project = projectOf(repository);

/** GitHub Pages serves a project below its name. */
const base = process.env["DOCS_BASE"] ?? "/";

/** A sidebar that a script wrote. */
function generated(file: string): DefaultTheme.SidebarItem[] {
  const url = new URL(`./generated/${file}`, import.meta.url);
  if (!existsSync(url)) throw new Error(`${fileURLToPath(url)} is missing: run \`npm run docs\`.`);
  return JSON.parse(readFileSync(url, "utf8"));
}

const sidebar: DefaultTheme.SidebarItem[] = groups.map(({ text, pages }) => ({
  text,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
}));

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
    // The generated pages, which come before the last group, are no part of the reading order.
    const link = (page: string | undefined) => page !== undefined && { text: titleOf(page), link: `/${page}` };
    const { summary } = describePage(readFileSync(`${root}/docs/${filePath}`, "utf8"));
    return {
      filePath: source ?? filePath,
      frontmatter: {
        ...frontmatter,
        editLink: source !== undefined,
        ...(place !== -1 && { prev: link(order[place - 1]), next: link(order[place + 1]) }),
      },
      ...(summary !== undefined && filePath !== "index.md" && { description: summary.replaceAll("`", "") }),
    };
  },
  transformHead({ page, title, description }) {
    const path = page.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, ".html");
    return project && previewTags({ title, description, path }, project);
  },
  markdown: {
    config(markdown) {
      inlinePictures(markdown);
      markForPhones(markdown);
      breakInlineCode(markdown);
    },
    // Their contrast is enough for WCAG AA.
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
    // The same anchors as on GitHub.
    anchor: { slugify: (heading: string) => slug(heading) },
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Operations", link: "/operations/" },
      { text: "API reference", link: "/api/" },
      { text: `v${version}`, link: "/changelog" },
    ],
    sidebar: [
      ...sidebar.slice(0, -1),
      ...sidebar.slice(-1).map(({ text, items = [] }) => ({
        text,
        items: [
          { text: "Operations", link: "/operations/", collapsed: true, items: generated("operations-sidebar.json") },
          { text: "API reference", link: "/api/", collapsed: true, items: generated("api-sidebar.json") },
          ...items,
        ],
      })),
    ],
    outline: [2, 3],
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
