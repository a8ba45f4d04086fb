import { OptionDefaults } from "typedoc";

/** The guide and the API of the package, as one site; `scripts/docs.ts` adds the operations to it. */
export default {
  name: "vegaprotocol-client",
  entryPoints: [
    "src/index.ts",
    "src/testing/index.ts",
    "src/testing/node/index.ts",
    "src/validate/index.ts",
    "src/pool/index.ts",
    "src/follow/index.ts",
    "src/query/index.ts",
  ],
  plugin: ["./scripts/docs/titles.js"],
  tsconfig: "tsconfig.json",
  readme: "README.md",
  projectDocuments: ["docs/*.md", "CHANGELOG.md"],
  out: "site",
  // Where it leads to depends on the page: the script puts the way in.
  navigationLinks: { "HTTP operations": "https://operations.invalid/" },
  customCss: "scripts/docs/guide.css",
  includeVersion: true,
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
