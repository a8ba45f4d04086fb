import { OptionDefaults } from "typedoc";

/** The API reference, as pages in Markdown. */
export default {
  name: "vegaprotocol-client",
  // One page for each entry of the package.
  entryPoints: [
    "../src/index.ts",
    "../src/pool/index.ts",
    "../src/follow/index.ts",
    "../src/query/index.ts",
    "../src/reports/index.ts",
    "../src/validate/index.ts",
    "../src/testing/index.ts",
    "../src/testing/node/index.ts",
    "../src/operations.ts",
  ],
  // The operations have pages of their own.
  exclude: ["../generated/openapi.ts"],
  plugin: ["typedoc-plugin-markdown", "./typedoc.plugin.js"],
  tsconfig: "../tsconfig.json",
  readme: "none",
  out: "api",
  logLevel: "Warn",
  router: "module",
  disableSources: true,
  excludeExternals: true,
  useHTMLAnchors: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: true,
  // A signature shows the types of its parameters, with links.
  expandParameters: true,
  expandObjects: true,
  entryFileName: "index",
  // Functions first: a page begins with what a program calls.
  sort: ["alphabetical"],
  groupOrder: ["Functions", "Classes", "Interfaces", "Type Aliases", "Variables"],
  sortEntryPoints: false,
  excludeProtected: true,
  excludeInternal: true,
  tableColumnSettings: { hideDefaults: true, hideInherited: true, hideModifiers: true, hideOverrides: true },
  indexFormat: "table",
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  // openapi-typescript's own tag.
  blockTags: [...OptionDefaults.blockTags, "@description"],
  intentionallyNotExported: [
    // The page on errors lists the events.
    "ObservedError",
    // Too long to be printed where they are used.
    "Incomplete",
    "Pages",
    "PageStart",
    // The raw types of the operations.
    "paths",
    // Types of the query libraries' options are inferred.
    "OperationTypes",
    "ListId",
    "RecordOf",
    "ParametersOf",
    "ComponentTypes",
  ],
  // The compiler has a check of its own.
  skipErrorChecking: true,
  treatWarningsAsErrors: true,
};
