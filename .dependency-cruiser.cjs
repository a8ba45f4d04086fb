/** Modules of both packages depend on each other in one direction; the rules also hold for imports of types. */
/** The folders that make up the client. A module imports from its own folder and from those before it. */
const layers = ["errors", "values", "async", "arguments", "http", "list", "scan", "client"];
/** Entries of the package of their own. */
const entries = ["testing", "validate", "pool", "follow", "query", "reports"];
/** The only part of the client that runs on Node.js alone. */
const onNode = "^src/testing/node/";

const rules = [
  ...layers.map((layer, index) => ({
    name: `${layer} imports only from ${["generated", ...layers.slice(0, index)].join(", ")}`,
    from: { path: `^src/${layer}/` },
    to: { path: "^src/", pathNot: `^src/(${layers.slice(0, index + 1).join("|")})/` },
  })),
  ...entries.map((entry) => ({
    name: `nothing imports from ${entry}`,
    from: { path: "^(src|generated)/", pathNot: `^src/${entry}/|^generated/` },
    to: { path: `^src/${entry}/` },
  })),
  {
    name: "only testing/node imports modules of Node.js",
    from: { path: "^src/", pathNot: onNode },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "only testing/node imports from testing/node",
    from: { path: "^src/", pathNot: onNode },
    to: { path: onNode },
  },
  {
    name: "src imports only from src, generated and openapi-fetch",
    from: { path: "^src/" },
    to: { pathNot: "^(src|generated)/|openapi-fetch", dependencyTypesNot: ["core"] },
  },
  {
    name: "the command line imports the client by its name only",
    from: { path: "^cli/(src|generated)/" },
    to: { path: "^(src|generated|scripts|test|docs|bench)/" },
  },
  {
    name: "generated imports only types, except the validators",
    from: { path: "^generated/", pathNot: "^generated/shapes.ts$" },
    to: { path: "^src/", dependencyTypesNot: ["type-only"] },
  },
  ...["src", "cli/src"].map((folder) => ({
    name: `no cycles in ${folder}`,
    from: { path: `^${folder}/` },
    to: { circular: true, viaOnly: { path: `^${folder}/` } },
  })),
  {
    name: "no cycles through generated, except of types",
    from: { path: "^src/" },
    to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
  },
];

module.exports = {
  forbidden: rules.map((rule) => ({ severity: "error", ...rule })),
  options: { tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } },
};
