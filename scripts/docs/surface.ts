/** All that the package exports, so that the API reference has no page for each entry. */
export * from "../../src/follow/index.js";
export * from "../../src/index.js";
export * from "../../src/operations.js";
export * from "../../src/pool/index.js";
export * from "../../src/query/index.js";
export * from "../../src/reports/index.js";
export * from "../../src/testing/index.js";
export * from "../../src/testing/node/index.js";
export * from "../../src/validate/index.js";
