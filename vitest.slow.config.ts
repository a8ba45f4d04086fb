import { defineConfig } from "vitest/config";

// The suites that take longer or need more than npm: `npm run test:slow -- test/slow/docs` and so on.
export default defineConfig({
  test: {
    include: ["{test,cli/test}/slow/**/*.test.ts"],
    reporters: process.env["CI"] ? ["default", "json"] : ["default"],
    outputFile: { json: "reports/slow.json" },
    // Files of one suite share a folder of tools, or the site, that the first one installs or builds.
    fileParallelism: false,
    // Tests of one file that may run at the same time, such as compilers.
    maxConcurrency: 2,
    testTimeout: 60_000,
    // A busy machine takes longer than the second that is the default.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 300_000,
  },
});
