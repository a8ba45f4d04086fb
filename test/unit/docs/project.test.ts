import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { projectOf, sourceOf } from "../../../docs/.vitepress/project.js";

const project = { repository: "https://github.com/Owner/vega-client", site: "https://owner.github.io/vega-client/" };

test.each([
  ["github:Owner/vega-client", project],
  ["https://github.com/Owner/vega-client", project],
  [{ url: "git+https://github.com/Owner/vega-client.git" }, project],
  [undefined, undefined],
  ["https://git.example/Owner/vega-client", undefined],
])("the addresses of the project follow from the repository of package.json: %j", (repository, expected) => {
  expect(projectOf(repository)).toEqual(expected);
});

test("the edit link of a page leads to the file that it is written from", () => {
  const pages = ["scans.md", "index.md", "changelog.md", "operations/listVotes.md", "api/index.md"];
  expect(pages.map(sourceOf)).toEqual(["docs/scans.md", "docs/index.md", "CHANGELOG.md", "openapi.yaml", undefined]);
});

test("each link of a page leads to a file that the package has", () => {
  const docs = fileURLToPath(new URL("../../../docs", import.meta.url));
  // Pages that `npm run docs` writes are not in the package.
  const written = readFileSync(join(docs, ".gitignore"), "utf8").split("\n");
  const isInPackage = (file: string) =>
    existsSync(join(docs, file)) && !written.some((each) => each !== "" && `/${file}`.startsWith(each));
  const links = readdirSync(docs).flatMap((page) => {
    if (!page.endsWith(".md") || !isInPackage(page)) return [];
    const targets = readFileSync(join(docs, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g);
    return [...targets].map(([, target = ""]) => ({ page, target }));
  });
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ target }) => !isInPackage(target))).toEqual([]);
});
