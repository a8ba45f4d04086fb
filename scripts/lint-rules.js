// @ts-check
/**
 * Lint rules for `openapi.yaml`, in addition to those of `redocly.yaml`: descriptions of properties, which hovers and pages show, and what
 * `npm run generate` relies on.
 */

/**
 * @typedef {{ pointer: string, child(path: string | (string | number)[]): Location, key(): Location }} Location
 * @typedef {{
 *   report(problem: { message: string, location: Location }): void, location: Location, key: string | number,
 *   rawLocation: { pointer: string }, resolve(reference: { $ref: string }): { node?: unknown },
 * }} Context What Redocly passes to a visitor; the package does not export the type.
 * @typedef {{
 *   description?: string, type?: unknown, enum?: string[], properties?: Record<string, any>, items?: any, anyOf?: any[],
 *   "x-enumDescriptions"?: Record<string, string>, "x-enumNumbers"?: number[], "x-naturalKey"?: string[],
 * }} Schema
 * @typedef {Record<string, any> & { parameters?: any[], responses?: Record<string, any> }} Operation
 */

/** @param {unknown} value @returns {value is { $ref: string }} */
const isReference = (value) => typeof value === "object" && value !== null && "$ref" in value;

/** @param {any} node @param {Context} context */
const follow = (node, { resolve }) => /** @type {any} */ (isReference(node) ? resolve(node).node : node);

/** Hovers and the rendered pages show nothing for a property or a component without a description. */
function descriptions() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema(schema, context) {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        if (follow(property, context)?.description?.trim()) continue;
        const location = context.location.child(["properties", name]);
        context.report({ message: `Property \`${name}\` has no description.`, location });
      }
    },
    NamedSchemas: {
      /** @param {Schema} schema @param {Context} context */
      Schema(schema, { report, key, location, rawLocation }) {
        if (schema.description?.trim() || rawLocation.pointer.split("/").length !== 4) return;
        report({ message: `Schema \`${String(key)}\` has no description.`, location });
      },
    },
  };
}

/** Every name of an enumeration has a meaning and at most one number, and every meaning has a name. */
function enumerations() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema({ type, enum: names, "x-enumDescriptions": meanings = {}, "x-enumNumbers": numbers }, { report, location }) {
      if (names === undefined || type !== "string") return;
      const different = [...names, ...Object.keys(meanings)].filter((name) => !names.includes(name) || !meanings[name]);
      if (different.length > 0) {
        const message = `\`enum\` and \`x-enumDescriptions\` do not both have ${different.join(", ")}.`;
        report({ message, location: location.child("enum") });
      }
      if (numbers === undefined || numbers.length === names.length) return;
      const message = "`x-enumNumbers` needs a number for each name of `enum`, in the same order.";
      report({ message, location: location.child("x-enumNumbers") });
    },
  };
}

/** Types have the names of components; an object elsewhere would have none. */
function namedObjects() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema({ properties }, { report, location }) {
      if (properties === undefined || /^#\/components\/schemas\/[^/]+$/.test(location.pointer)) return;
      const message = "This object has no name: move it to `components/schemas` and refer to it with `$ref`.";
      report({ message, location: location.key() });
    },
  };
}

/** A dotted parameter is a member of a group: of its operation, or of a group that operations share. */
function groups() {
  /** @type {Record<string, unknown>} */
  let shared = {};
  return {
    /** @param {{ "x-parameterGroups"?: Record<string, unknown> }} root */
    Root(root) {
      shared = root["x-parameterGroups"] ?? {};
    },
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, context) {
      const known = { ...shared, ...operation["x-parameterGroups"] };
      for (const { name } of (operation.parameters ?? []).map((each) => follow(each, context))) {
        const [group, ...members] = name.split(".");
        if (members.length === 0 || (members.length === 1 && group in known)) continue;
        const message = `Parameter \`${name}\` needs a group of x-parameterGroups and one dot.`;
        context.report({ message, location: context.location.child("parameters") });
      }
    },
  };
}

/** A request is a GET or a POST with parameters in its path and query, and extensions name parameters that it has. */
function requests() {
  return {
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, context) {
      const { report, location, key } = context;
      if (key !== "get" && key !== "post")
        report({
          message: `Expected get or post, got ${String(key)}: the client sends no other requests.`,
          location: location.key(),
        });
      const parameters = (operation.parameters ?? []).map((each) => follow(each, context));
      for (const { name, in: place } of parameters) {
        if (place === "query" || place === "path") continue;
        const message = `Parameter \`${name}\` must be in the query or the path: the client sends none in a ${place}.`;
        report({ message, location: location.child("parameters") });
      }
      const names = parameters.map(({ name }) => name);
      const { "x-atLeastOneOf": choices = [], "x-range": range, "x-rejectedNames": rejected } = operation;
      /** @type {Record<string, unknown[]>} */
      const references = {
        "x-atLeastOneOf": choices.map((/** @type {any} */ { parameter }) => parameter),
        "x-range": range ? [range.start ?? "no start", range.end ?? "no end"] : [],
        "x-rejectedNames": rejected ? [rejected.parameter] : [],
      };
      for (const [extension, named] of Object.entries(references)) {
        const unknown = named.filter((name) => !names.includes(name));
        if (unknown.length === 0) continue;
        const message = `\`${extension}\` needs names of parameters of this operation, got ${unknown.join(", ")}.`;
        report({ message, location: location.child(extension) });
      }
    },
  };
}

/** A list responds with a page alone, and its size and the identity of its records are known. */
function lists() {
  return {
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, context) {
      const { report, location } = context;
      const propertiesOf = (/** @type {any} */ node) => follow(node, context)?.properties ?? {};
      const body = operation.responses?.["200"]?.content?.["application/json"]?.schema;
      const members = Object.values(propertiesOf(body));
      const page = members.map(propertiesOf).find(({ edges, pageInfo }) => edges && pageInfo);
      if (!page) return;
      if (members.length > 1)
        report({ message: "A page must be the only member of the response.", location: location.child("responses") });
      if (!Number.isInteger(operation["x-defaultPageSize"]))
        report({ message: "A list needs `x-defaultPageSize`, the number of records to request.", location });
      const { node } = propertiesOf(page.edges.items);
      const reference = [node, ...(node?.anyOf ?? [])].find(isReference);
      const record = follow(reference, context);
      const names = Object.keys(record?.properties ?? {});
      const identifying = record?.["x-naturalKey"] ?? [];
      const isKnown = identifying.every((/** @type {string} */ name) => names.includes(name));
      if (identifying.length > 0 && isKnown) return;
      const message = `\`${reference?.$ref}\` needs \`x-naturalKey\`, the members that identify a record, of ${names.join(", ")}.`;
      report({ message, location });
    },
  };
}

export default () => ({
  id: "description",
  rules: { oas3: { descriptions, enumerations, "named-objects": namedObjects, groups, requests, lists } },
});
