// @ts-check
/**
 * Lint rules for `openapi.yaml`, beside Redocly's own: descriptions of properties, which hovers and pages show, and the `x-` extensions,
 * which `npm run generate` relies on.
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

/** The extensions of each part of the description, and the units. `generate/description.ts` has their types and meaning. */
const known = {
  Root: ["x-parameterGroups"],
  Operation: [
    ...["x-parameterGroups", "x-atLeastOneOf", "x-range", "x-rejectedNames", "x-defaultPageSize", "x-cursors"],
    ...["x-hints", "x-sentOnce", "x-clientNotes", "x-codeSamples"],
  ],
  Parameter: ["x-unit"],
  Schema: ["x-enumDescriptions", "x-enumNumbers", "x-naturalKey", "x-unit"],
};
const units = ["unix-nanoseconds", "smallest-unit"];

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

/** A misspelled extension would have no effect. `OperationTable` is the type of what is generated from the others. */
function extensions() {
  /** The groups that operations share. @type {Record<string, unknown>} */
  let shared = {};

  /** @param {keyof typeof known} part */
  const checkNames =
    (part) =>
    (/** @type {Record<string, any>} */ node, /** @type {Context} */ { report, location }) => {
      for (const [name, value] of Object.entries(node)) {
        if (!name.startsWith("x-")) continue;
        const isValid = known[part].includes(name) && (name !== "x-unit" || units.includes(value));
        if (!isValid)
          report({ message: `${part} has no extension \`${name}: ${value}\`.`, location: location.child(name) });
      }
    };

  return {
    /** @param {{ "x-parameterGroups"?: Record<string, unknown> }} root @param {Context} context */
    Root(root, context) {
      shared = root["x-parameterGroups"] ?? {};
      checkNames("Root")(root, context);
    },
    Parameter: checkNames("Parameter"),
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, context) {
      checkNames("Operation")(operation, context);
      const { report, location } = context;
      const groups = { ...shared, ...operation["x-parameterGroups"] };
      for (const { name } of (operation.parameters ?? []).map((each) => follow(each, context))) {
        const [group, ...members] = name.split(".");
        if (members.length === 0 || (members.length === 1 && group in groups)) continue;
        const message = `Parameter \`${name}\` needs a group of x-parameterGroups and one dot.`;
        report({ message, location: location.child("parameters") });
      }
    },
    Schema: checkNames("Schema"),
  };
}

export default () => ({
  id: "description",
  rules: {
    oas3: { descriptions, enumerations, "named-objects": namedObjects, extensions },
  },
});
