import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes. If two files run at the same time, these come first, so that none of them runs alone at the end. */
const longest = [
  "docs/site.test.ts",
  "walkthrough/walkthrough.test.ts",
  "runtimes/node-versions.test.ts",
  "cli/test/slow/examples.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((file) => moduleId.endsWith(file));
      return index === -1 ? longest.length : index;
    };
    return [...files].sort((a, b) => rank(a) - rank(b));
  }
}

// The suites that take longer or need more than npm: `npm run test:slow -- test/slow/docs` and so on.
export default defineConfig({
  test: {
    include: ["{test,cli/test}/slow/**/*.test.ts"],
    reporters: process.env["CI"] ? ["default", "json"] : ["default"],
    outputFile: { json: "reports/slow.json" },
    // Files of one suite share a folder of tools, or the site, that the first one installs or builds.
    fileParallelism: false,
    sequence: { sequencer: LongestFirst },
    // Tests of one file that may run at the same time, such as compilers.
    maxConcurrency: 2,
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
