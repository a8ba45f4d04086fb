import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The report is for machines: CI counts with it.
    reporters: process.env["CI"] ? ["default", ["json", { outputFile: "reports/vitest.json" }]] : ["default"],
    testTimeout: 60_000,
    // Tests replace no modules and no globals, so that test files can share the modules that they import.
    isolate: false,
    // More than two cores have work for: tests of deadlines and of silent servers wait.
    maxWorkers: 4,
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
