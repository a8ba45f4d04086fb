// @ts-check
/**
 * Lint rules of this description's own, beside Redocly's `recommended-strict`.
 * Each guards something that is made from `openapi.yaml`: hover texts, the mock's answers, validation.
 *
 * @typedef {{ child(path: string | (string | number)[]): Location, key(): Location }} Location
 * @typedef {{
 *   report(problem: { message: string, location: Location }): void,
 *   location: Location,
 *   rawLocation: { pointer: string },
 *   key: string | number,
 *   resolve(reference: { $ref: string }): { node?: unknown },
 * }} Context What Redocly hands to a visitor; the package does not export the type.
 * @typedef {{ description?: string, properties?: Record<string, unknown>, enum?: unknown[], format?: string, type?: unknown, pattern?: string, "x-enumDescriptions"?: Record<string, string> }} Schema
 * @typedef {{ operationId?: string, responses?: Record<string, unknown> }} Operation
 * @typedef {{ examples?: Record<string, unknown> }} MediaType
 * @typedef {{ description?: string, example?: unknown, examples?: unknown }} Parameter
 */

/** Hovers and the rendered pages show nothing for a property without words. */
function propertyDescription() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema(schema, { report, location, resolve }) {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const target = /** @type {Schema} */ (isReference(property) ? resolve(property).node : property);
        if (!target?.description?.trim()) {
          report({
            message: `Property \`${name}\` has no description.`,
            location: location.child(["properties", name]),
          });
        }
      }
    },
  };
}

/** Components, operations and parameters are headings and hovers too. */
function schemaDescription() {
  return {
    NamedSchemas: {
      /** @param {Schema} schema @param {Context} context */
      Schema(schema, { report, key, location, rawLocation }) {
        if (!schema.description?.trim() && rawLocation.pointer.split("/").length === 4) {
          report({ message: `Schema \`${String(key)}\` has no description.`, location });
        }
      },
    },
  };
}

/** The mock answers with these; without them it makes values up that no node would send. */
function mediaTypeExamples() {
  return {
    /** @param {MediaType} mediaType @param {Context} context */
    MediaType(mediaType, { report, location }) {
      if (Object.keys(mediaType.examples ?? {}).length === 0) {
        report({ message: "A body needs at least one example, by name, under `examples`.", location });
      }
    },
  };
}

/** The documentation and the mock's generated requests use them. */
function parameterExample() {
  return {
    /** @param {Parameter} parameter @param {Context} context */
    Parameter(parameter, { report, location }) {
      if (parameter.example === undefined && parameter.examples === undefined) {
        report({ message: "A parameter needs an example.", location });
      }
    },
  };
}

/** Every operation can fail, and a client that is not told how cannot tell its user. */
function operationErrors() {
  return {
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, { report, location }) {
      const statuses = Object.keys(operation.responses ?? {});
      for (const status of ["500", "default"]) {
        if (!statuses.includes(status)) {
          report({
            message: `Operation \`${operation.operationId}\` has no \`${status}\` answer.`,
            location: location.child("responses").key(),
          });
        }
      }
    },
  };
}

/** The operationId is the name of the client's method. */
function operationIdIsMethodName() {
  return {
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, { report, location }) {
      if (operation.operationId !== undefined && !/^[a-z][A-Za-z0-9]*$/.test(operation.operationId)) {
        report({
          message: `\`${operation.operationId}\` cannot be the name of a method: use camelCase.`,
          location: location.child("operationId"),
        });
      }
    },
  };
}

/** Every name of an enumeration has its meaning, and no meaning is left over from a renamed one. */
function enumDescriptions() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema(schema, { report, location }) {
      if (schema.enum === undefined || schema.type !== "string") return;
      const described = schema["x-enumDescriptions"] ?? {};
      for (const value of schema.enum) {
        if (!described[String(value)]) {
          report({
            message: `\`${String(value)}\` has no meaning under \`x-enumDescriptions\`.`,
            location: location.child("enum"),
          });
        }
      }
      for (const value of Object.keys(described)) {
        if (!schema.enum.includes(value)) {
          report({
            message: `\`${value}\` is described but is no value of the enumeration.`,
            location: location.child(["x-enumDescriptions", value]).key(),
          });
        }
      }
    },
  };
}

/** Validators, Prism among them, know these formats on numbers only and would let any string pass. */
function stringFormatPattern() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema(schema, { report, location }) {
      const types = Array.isArray(schema.type) ? schema.type : [schema.type];
      if (types.includes("string") && ["int64", "uint64", "byte"].includes(schema.format ?? "") && !schema.pattern) {
        report({
          message: `A string of format \`${schema.format}\` needs a \`pattern\`: validators do not look otherwise.`,
          location: location.child("format"),
        });
      }
    },
  };
}

/** @param {unknown} value @returns {value is { $ref: string }} */
function isReference(value) {
  return typeof value === "object" && value !== null && "$ref" in value;
}

export default () => ({
  id: "description",
  rules: {
    oas3: {
      "property-description": propertyDescription,
      "schema-description": schemaDescription,
      "media-type-examples": mediaTypeExamples,
      "parameter-example": parameterExample,
      "operation-errors": operationErrors,
      "operation-id-is-method-name": operationIdIsMethodName,
      "enum-descriptions": enumDescriptions,
      "string-format-pattern": stringFormatPattern,
    },
  },
});
