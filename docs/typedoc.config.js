import { OptionDefaults } from "typedoc";

/** The API reference, as pages in Markdown. */
export default {
  name: "vegaprotocol-client",
  entryPoints: ["../scripts/docs/surface.ts"],
  // The operations have pages of their own.
  exclude: ["../generated/openapi.ts"],
  plugin: ["typedoc-plugin-markdown", "./typedoc.plugin.js"],
  tsconfig: "../tsconfig.json",
  readme: "none",
  out: "api",
  logLevel: "Warn",
  router: "kind",
  disableSources: true,
  excludeExternals: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: true,
  // A signature shows the types of its parameters, with links.
  expandParameters: true,
  expandObjects: true,
  entryFileName: "index",
  sort: ["source-order"],
  // openapi-typescript's own tag.
  blockTags: [...OptionDefaults.blockTags, "@description"],
  intentionallyNotExported: [
    "codeNames",
    "nodeVersions",
    // Parts of options and of unions, which no caller names.
    "After",
    "CheckCode",
    "CheckOptions",
    "EmptyPageFault",
    "Fetch",
    "HeaderValues",
    "HtmlFault",
    "Incomplete",
    "InfiniteArgument",
    "LatencyFault",
    "Order",
    "PartialBlockData",
    "RepeatedCursorFault",
    "ResetFault",
    "SqlValue",
    "StatusFault",
    "TruncatedBodyFault",
    "Validate",
    "VotesOfParty",
    "VotesOnProposal",
    // A pool is passed to a client, which connects to it.
    "Connection",
    "ConnectionOptions",
    // The raw types of the operations.
    "paths",
    // Types of the query libraries' options are inferred.
    "OperationMethods",
    "OperationTypes",
    "operations",
    "ListId",
    "ArgumentOf",
    "RecordOf",
    "BodyOf",
    "ParametersOf",
    "PartOf",
    "ComponentTypes",
  ],
  // The compiler has a check of its own.
  skipErrorChecking: true,
  treatWarningsAsErrors: true,
};
