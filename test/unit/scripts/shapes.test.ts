import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Description, Schema } from "../../../scripts/generate/description.js";
import { printShapes } from "../../../scripts/generate/shapes.js";
import * as combinators from "../../../src/validate/shape.js";
import { runs } from "../../support/runs.js";

/** A description with one operation, whose response is the schema `Response`. */
function describeResponse(schemas: Record<string, Schema>): Description {
  const schema = { $ref: "#/components/schemas/Response" };
  const responses = { "200": { content: { "application/json": { schema } } } };
  return {
    paths: { "/test": { get: { operationId: "getTest", summary: "Test", responses } } },
    components: { schemas, parameters: {} },
  };
}

/** Runs the generated code, which is plain JavaScript but for its import and its exports. */
function shapeOf(schemas: Record<string, Schema>): combinators.Shape {
  const [imports = "", ...body] = printShapes(describeResponse(schemas)).split(";\n");
  const code = body.join(";\n").replaceAll("export const", "const");
  const names = imports.replace(/^import \{ | \} from .*$/g, "").split(", ");
  const values = names.map((name) => new Map<string, unknown>(Object.entries(combinators)).get(name));
  return new Function(...names, `${code}return responseShapes.getTest;`)(...values);
}

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const schemas: Record<string, Schema> = {
  Response: {
    type: "object",
    required: ["@type", "number", "nothing"],
    properties: {
      "@type": { type: "string" },
      number: { type: "number" },
      nothing: { type: "null" },
      "not-there": ref("List"),
      inline: { type: "object", required: ["a b"], properties: { "a b": { type: "integer" } } },
      items: { type: "array", items: { anyOf: [ref("Delete"), { type: "null" }] } },
      inlineItems: { type: "array", items: { type: "object", properties: { x: { type: ["string", "null"] } } } },
      map: { type: "object", additionalProperties: { type: "array", items: { type: "number" } } },
      empty: { type: "object" },
      list: ref("ListOfText"),
      texts: { type: "array", items: { type: "string" } },
    },
  },
  // Names that generated code uses itself, or that JavaScript reserves.
  List: { type: "object", properties: { text: ref("Text") } },
  Text: { type: "object", required: ["object"], properties: { object: { type: "boolean" } } },
  Delete: { type: "object", required: ["responseShapes"], properties: { responseShapes: ref("ResponseShapes") } },
  ResponseShapes: { type: "string" },
  ListOfText: { type: "object", required: ["value"], properties: { value: { type: "boolean" } } },
};

const value: Record<string, unknown> = {
  "@type": "a",
  number: 1.5,
  nothing: null,
  "not-there": { text: { object: true } },
  inline: { "a b": 1 },
  items: [{ responseShapes: "a" }, null],
  inlineItems: [{ x: null }, { x: "a" }, {}],
  map: { a: [1.5], b: [] },
  empty: { any: 1 },
  list: { value: true },
  texts: ["a"],
};

describe("the generated shapes", () => {
  test("agree with ajv on every kind of schema, whatever the names are", () => {
    const tree = JSON.parse(JSON.stringify(schemas).replaceAll("#/components/schemas/", "#/$defs/"));
    const check = new Ajv2020({ strict: false }).compile({ $ref: "#/$defs/Response", $defs: tree });
    const shape = shapeOf(schemas);
    expect([check(value), shape.explain(value)]).toEqual([true, []]);
    const leaf = fc.constantFrom(...Object.values(value), { text: {} }, { "a b": "1" }, { x: 1 }, [{}], true, 7, "a");
    const property = fc.property(fc.constantFrom(...Object.keys(value)), fc.option(leaf), (name, put) => {
      const { [name]: _, ...rest } = value;
      const changed = put === null ? rest : { ...rest, [name]: put };
      expect(shape.explain(changed).length === 0).toBe(check(changed));
    });
    fc.assert(property, runs(200));
  });

  test("cannot be generated for a schema that contains itself", () => {
    const recursive: Schema = { type: "object", properties: { all: { type: "array", items: ref("Condition") } } };
    expect(() => shapeOf({ Response: ref("Condition"), Condition: recursive })).toThrow(
      "`Condition` of openapi.yaml contains itself, which the validator does not support.",
    );
  });
});
