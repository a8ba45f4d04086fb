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
