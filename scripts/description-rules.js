// @ts-check
import { parseDocument, visit } from "yaml";
import { extensionRules, isReference } from "./extension-rules.js";

/**
 * Lint rules for this description, beside Redocly's `recommended-strict`. Each protects something that is generated from
 * `openapi.yaml`: hover texts, the responses of the mock, validation, the clients of other generators.
 *
 * @typedef {{ child(path: string | (string | number)[]): Location, key(): Location, source: { body: string } }} Location
 * @typedef {{
 *   report(problem: { message: string, location: Location }): void,
 *   location: Location,
 *   rawLocation: { pointer: string },
 *   key: string | number,
 *   resolve(reference: { $ref: string }): { node?: unknown },
 * }} Context What Redocly passes to a visitor; the package does not export the type.
 * @typedef {{ description?: string, properties?: Record<string, unknown>, enum?: unknown[], format?: string, type?: unknown, pattern?: string, "x-enumDescriptions"?: Record<string, string> }} Schema
 * @typedef {{ operationId?: string, responses?: Record<string, unknown> }} Operation
 * @typedef {{ examples?: Record<string, unknown> }} MediaType
 * @typedef {{ description?: string, example?: unknown, examples?: unknown }} Parameter
 */

/** Hovers and the rendered pages show nothing for a property without a description. */
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

/** The mock responds with these; without them, it generates values that no node would send. */
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

/** The documentation and the requests that Prism generates use them. */
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

/** The operation pages and the documentation of the methods show them, and the tests run them. */
function codeSamples() {
  return {
    /** @param {Operation & { "x-codeSamples"?: { lang?: string, source?: string }[] }} operation @param {Context} context */
    Operation(operation, { report, location }) {
      const samples = Array.isArray(operation["x-codeSamples"]) ? operation["x-codeSamples"] : [];
      for (const language of ["Shell", "TypeScript"]) {
        if (samples.some(({ lang, source }) => lang === language && source?.trim())) continue;
        report({
          message: `Operation \`${operation.operationId}\` needs a sample in \`x-codeSamples\` with \`lang: ${language}\`.`,
          location: location.key(),
        });
      }
    },
  };
}

/** Every operation can fail, and clients need the body of the error. */
function operationErrors() {
  return {
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, { report, location }) {
      const statuses = Object.keys(operation.responses ?? {});
      for (const status of ["500", "default"]) {
        if (!statuses.includes(status)) {
          report({
            message: `Operation \`${operation.operationId}\` has no \`${status}\` response.`,
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

/** Every name of an enumeration has a meaning, and every meaning has a name. */
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
            message: `\`${value}\` is described but is not a value of the enumeration.`,
            location: location.child(["x-enumDescriptions", value]).key(),
          });
        }
      }
    },
  };
}

/** Validators, including Prism, apply these formats to numbers only and accept any string. */
function stringFormatPattern() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema(schema, { report, location }) {
      const types = Array.isArray(schema.type) ? schema.type : [schema.type];
      if (types.includes("string") && ["int64", "uint64", "byte"].includes(schema.format ?? "") && !schema.pattern) {
        report({
          message: `A string of format \`${schema.format}\` needs a \`pattern\`: validators ignore the format.`,
          location: location.child("format"),
        });
      }
    },
  };
}

/** openapi-generator rejects a description with aliases. Use `$ref` or repeat the text. */
function noYamlAliases() {
  return {
    /** @param {unknown} _ @param {Context} context */
    Root(_, { report, location }) {
      visit(parseDocument(location.source.body), {
        Alias: (_, { source }) => report({ message: `Alias \`*${source}\`: use \`$ref\` instead.`, location }),
      });
    },
  };
}

/** Generators derive types from the name of an operation. A schema of the same name does not compile. */
function componentNames() {
  /** @type {Set<string>} */
  const derived = new Set();
  const endings = [
    "",
    "Arguments",
    "Body",
    "Data",
    "Error",
    "Errors",
    "Options",
    "Params",
    "Query",
    "Request",
    "Response",
    "Responses",
  ];
  /** @type {[name: string, location: Location][]} */
  const schemas = [];
  return {
    /** @param {Operation} operation */
    Operation({ operationId = "" }) {
      for (const ending of endings) derived.add(`${operationId}${ending}`.toLowerCase());
    },
    /** @param {Record<string, unknown>} named @param {Context} context */
    NamedSchemas(named, { location }) {
      for (const name of Object.keys(named)) schemas.push([name, location.child([name]).key()]);
    },
    Root: {
      /** @param {unknown} _ @param {Context} context */
      leave(_, { report }) {
        for (const [name, location] of schemas) {
          if (!derived.has(name.toLowerCase())) continue;
          report({ message: `Schema \`${name}\` has a name that generators derive from an operation.`, location });
        }
      },
    },
  };
}

export default () => ({
  id: "description",
  rules: {
    oas3: {
      "property-description": propertyDescription,
      "schema-description": schemaDescription,
      "media-type-examples": mediaTypeExamples,
      "parameter-example": parameterExample,
      "code-samples": codeSamples,
      "operation-errors": operationErrors,
      "operation-id-is-method-name": operationIdIsMethodName,
      "enum-descriptions": enumDescriptions,
      "string-format-pattern": stringFormatPattern,
      "no-yaml-aliases": noYamlAliases,
      "component-names": componentNames,
      ...extensionRules,
    },
  },
});
