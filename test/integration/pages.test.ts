import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { groups } from "../../docs/.vitepress/pages.js";
import { root } from "../support/samples/collect.js";

// The hand-written pages, which are read on the site and on GitHub.
const guide = groups.flatMap(({ pages }) => pages.map((page) => `docs/${page}.md`)).filter(isHandWritten);
const others = ["README.md", "src/README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "docs/index.md"];

/** The changelog is copied from the root. */
function isHandWritten(file: string): boolean {
  return file !== "docs/changelog.md";
}

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** A page without its code, in which `#` is no heading and brackets are no links. */
const prose = (file: string) => read(file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");

const headings = (file: string) => [...prose(file).matchAll(/^#{1,4} (.+)$/gm)].map(([, text = ""]) => text);

/** The anchor of a heading, on GitHub and on the site. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

test("every page of the sidebar exists, and the sidebar has every page", () => {
  const pages = readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  expect([...guide, "docs/index.md"].sort()).toEqual(pages.filter(isHandWritten).sort());
});

describe.each(guide)("%s", (file) => {
  test("begins with its title, a short introduction and an example", () => {
    expect(read(file)).toMatch(/^# .+\n\n(?:.+\n){1,4}\n```/);
  });

  test("ends with two or three pages to read next", () => {
    expect(read(file)).toMatch(/\n\n\*\*Next:\*\* \[[^\]]+\]\([^)]+\)(?: · \[[^\]]+\]\([^)]+\)){1,2}\n$/);
  });
});

describe.each([...guide, ...others])("the links and paths of %s", (file) => {
  const links = [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^\w+:/.test(link));

  test("lead to files that exist", () => {
    const missing = links.filter((link) => {
      const [path = ""] = link.split("#");
      // The site has the files of `docs/public` beside its pages.
      const places = ["", "public"].map((folder) => join(root, dirname(file), folder, path));
      return path !== "" && !places.some((place) => existsSync(place));
    });
    expect(missing).toEqual([]);
  });

  test("lead to headings that exist", () => {
    const missing = links.filter((link) => {
      const [path = "", anchor] = link.split("#");
      if (anchor === undefined) return false;
      const target = path === "" ? file : normalize(join(dirname(file), path));
      return !headings(target).some((each) => anchorOf(each) === anchor);
    });
    expect(missing).toEqual([]);
  });

  test("name tests that exist", () => {
    const paths = [...read(file).matchAll(/`((?:cli\/)?test\/[^`\s*]+)`/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

test("the tables of the README fit a terminal of 100 columns", () => {
  const rows = prose("README.md").match(/^\|.+$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((row) => row.length > 100)).toEqual([]);
});
