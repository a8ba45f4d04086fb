import { defineConfig } from "vitest/config";

// The suites that take longer or need more than npm: `npm run test:docs`, `test:runtimes` and so on.
const name = (process.env["npm_lifecycle_event"] ?? "slow").replace(":", "-");

export default defineConfig({
  test: {
    include: ["test/{docs,runtimes}/*.test.ts", "test/slow/*/*.test.ts"],
    reporters: process.env["CI"] ? ["default", ["json", { outputFile: `reports/${name}.json` }]] : ["default"],
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
