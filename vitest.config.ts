import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long. They come first, so that none of them runs alone at the end. */
const longest = [
  "test/slow/docs/site.test.ts",
  "cli/test/slow/page.test.ts",
  "cli/test/slow/examples.test.ts",
  "test/slow/release/release.test.ts",
  "test/integration/worlds.test.ts",
  "test/integration/small-worlds.test.ts",
  "cli/test/integration/serve/lists.test.ts",
  "cli/test/integration/serve/gateway.test.ts",
  "test/integration/samples.test.ts",
  "cli/test/integration/parquet.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((file) => moduleId.endsWith(file));
      return index === -1 ? longest.length : index;
    };
    return [...files].sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    // The report is for machines: CI counts with it.
    reporters: process.env["CI"] ? ["default", ["json", { outputFile: "reports/vitest.json" }]] : ["default"],
    testTimeout: 60_000,
    // Tests replace no modules and no globals, so that test files can share the modules that they import.
    isolate: false,
    // More than two cores have work for: tests of deadlines and of silent servers wait.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    include: ["{test,cli/test}/{contract,integration,types,unit}/**/*.test.ts"],
    typecheck: {
      enabled: true,
      checker: "node_modules/typescript-7/bin/tsc",
      include: ["test/types/**/*.test-d.ts"],
      // `npm run check` compiles all of the code.
      tsconfig: "./test/types/tsconfig.json",
    },
  },
});
