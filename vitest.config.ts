import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** All tests print a dot each, so that a failure is seen; some of them print their names. */
const reporter = process.env["npm_lifecycle_event"] === "test" ? "dot" : "default";

export default defineConfig({
  test: {
    // The report is for machines: CI counts with it.
    reporters: process.env["CI"] ? [reporter, ["json", { outputFile: "reports/vitest.json" }]] : [reporter],
    testTimeout: 60_000,
    // A busy machine takes longer than the second that is the default.
    expect: { poll: { timeout: 20_000 } },
    // Tests replace no modules and no globals, so that test files can share the modules that they import.
    isolate: false,
    // Tests of deadlines and of silent servers wait meanwhile.
    maxWorkers: Math.max(3, availableParallelism()),
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
