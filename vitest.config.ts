import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The report is for machines: CI counts with it.
    reporters: process.env["CI"] ? ["default", ["json", { outputFile: "reports/vitest.json" }]] : ["default"],
    testTimeout: 30_000,
    coverage: { include: ["src/**"] },
    projects: [
      {
        extends: true,
        test: {
          name: "fetch",
          include: ["test/{contract,integration,samples,transport,types,unit}/**/*.test.ts"],
          typecheck: { enabled: true, include: ["test/types/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
          provide: { transport: "fetch" },
        },
      },
      {
        extends: true,
        test: { name: "undici", include: ["test/transport/*.test.ts"], provide: { transport: "undici" } },
      },
    ],
  },
});
