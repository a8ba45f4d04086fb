/**
 * Changes the code of a room in all places, one at a time, and runs its tests: a change that none notices survives.
 *
 *     ROOM=http npm run test:mutation
 *     TESTS=test/unit/scan/scheduler.test.ts npm run test:mutation -- --mutate src/scan/scheduler.ts
 *
 * `survivors.md` has those that are known, with reasons.
 */
const { ROOM: room = "{list,scan,pool,follow,http,reports}" } = process.env;

export default {
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  // Lists are loaded by `import()`, so that their tests do not count as related.
  vitest: { configFile: "test/mutations/vitest.config.ts", related: false },
  mutate: [`src/${room}/**/*.ts`],
  // Messages are texts for people; tests compare the parts that matter.
  mutator: { excludedMutations: ["StringLiteral"] },
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 10_000,
  reporters: ["clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportScoreTable: true },
  jsonReporter: { fileName: "reports/mutations.json" },
  ignorePatterns: ["/reports", "/docs", "/test/slow/!(worlds)"],
  tempDirName: "reports/mutations",
};
