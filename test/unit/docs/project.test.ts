import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { projectOf, sourceOf } from "../../../docs/.vitepress/project.js";

describe("the addresses of the project", () => {
  const project = { repository: "https://github.com/Owner/vega-client", site: "https://owner.github.io/vega-client/" };

  test.each([
    "github:Owner/vega-client",
    "https://github.com/Owner/vega-client",
    { url: "git+https://github.com/Owner/vega-client.git" },
  ])("follow from the repository of package.json: %j", (repository) => {
    expect(projectOf(repository)).toEqual(project);
  });

  test("are those of the account if the repository is its site", () => {
    expect(projectOf("github:Owner/owner.github.io")?.site).toBe("https://owner.github.io/");
  });

  test.each([undefined, {}, "", "https://git.example/Owner/vega-client"])(
    "are unknown without one on GitHub: %j",
    (repository) => {
      expect(projectOf(repository)).toBeUndefined();
    },
  );

  test("show a picture of the size that they name", () => {
    const picture = readFileSync(new URL("../../../docs/public/preview.png", import.meta.url));
    expect(picture.toString("latin1", 1, 4)).toBe("PNG");
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630]);
  });
});

test("the edit link of a page leads to the file that it is written from", () => {
  const pages = ["scans.md", "index.md", "changelog.md", "operations/listVotes.md", "api/index.md"];
  expect(pages.map(sourceOf)).toEqual(["docs/scans.md", "docs/index.md", "CHANGELOG.md", "openapi.yaml", undefined]);
});
