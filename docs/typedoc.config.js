import { OptionDefaults } from "typedoc";

/** The API reference, as pages in Markdown. */
export default {
  name: "vegaprotocol-client",
  entryPoints: [
    "../src/index.ts",
    "../src/testing/index.ts",
    "../src/testing/node/index.ts",
    "../src/validate/index.ts",
    "../src/pool/index.ts",
    "../src/follow/index.ts",
    "../src/query/index.ts",
  ],
  plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme"],
  tsconfig: "../tsconfig.json",
  readme: "none",
  out: "api",
  logLevel: "Warn",
  disableSources: true,
  sort: ["source-order"],
  // openapi-typescript's own tag.
  blockTags: [...OptionDefaults.blockTags, "@description"],
  intentionallyNotExported: [
    // Errors are caught, not made.
    "VegaErrorOptions",
    "ApiErrorOptions",
    "RateLimitErrorOptions",
    "PaginationErrorOptions",
    "codeNames",
    // A pool is passed to a client, which connects to it.
    "Connection",
    "ConnectionOptions",
    // Types of the query libraries' options are inferred.
    "OperationId",
    "OperationMethods",
    "operations",
    "ListId",
    "ArgumentOf",
    "RecordOf",
    "BodyOf",
    "ParametersOf",
    "PartOf",
    "ComponentTypes",
    "Path",
  ],
  treatWarningsAsErrors: true,
};
