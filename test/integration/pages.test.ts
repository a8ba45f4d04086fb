import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { groups } from "../../docs/.vitepress/pages.js";
import { root } from "../support/samples/collect.js";

const read = (file: string) => readFileSync(join(root, file), "utf8");
/** Pages that `npm run docs` writes. */
const generated = ["changelog.md", "openapi.md"];
const guide = groups.flatMap(({ pages }) => pages).filter((page) => page !== "changelog");

test("every page of the sidebar exists, and the sidebar has every page", () => {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && !generated.includes(name));
  expect([...guide, "index"].map((page) => `${page}.md`).sort()).toEqual(pages.sort());
});

test.each(guide)("%s begins with its title, a short introduction and an example", (page) => {
  expect(read(`docs/${page}.md`)).toMatch(/^# .+\n\n(?:.+\n){1,4}\n```/);
});

/** The anchors of the headings of a page, on GitHub and on the site. `#` in code is no heading. */
const anchorsOf = (file: string) =>
  [
    ...read(file)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, "")
      .matchAll(/^#{1,4} (.+)$/gm),
  ].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

// The build of the site checks its own links.
describe.each(["README.md", "src/README.md", "cli/README.md", "CONTRIBUTING.md", "AGENTS.md", "SECURITY.md"])(
  "%s",
  (file) => {
    test("has links that lead to files and headings, and names tests that exist", () => {
      const links = [...read(file).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
      const broken = links.filter(([, path, anchor]) => {
        const target = path ? normalize(join(dirname(file), path)) : file;
        return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      });
      expect(broken.map(([link]) => link)).toEqual([]);
      const paths = [...read(file).matchAll(/`((?:cli\/)?test\/[^`\s*]+)`/g)].map(([, path = ""]) => path);
      expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    });
  },
);
