/** Prints `generated/shapes.ts`: the shapes of responses, which the validator checks at run time. */
import { camelCase, type Description, nameOf, type Schema } from "./description.js";

const combinators = ["anyOf", "flag", "integer", "list", "literal", "map", "nothing", "object", "text"];

const alternativesOf = ({ anyOf, oneOf, ...schema }: Schema): Schema[] | undefined =>
  anyOf ?? oneOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : undefined);

/** A shape for each schema of a response. A shape comes before the shapes that use it. */
export function printShapes({ paths, components: { schemas } }: Description): string {
  const printed = new Map<string, string>();

  function refer(reference: string): string {
    const name = nameOf(reference);
    if (printed.has(name)) return camelCase(name);
    const text = print(schemas[name] as Schema);
    if (combinators.includes(text)) return text;
    printed.set(name, `const ${camelCase(name)} = ${text};\n`);
    return camelCase(name);
  }

  /** A list or a map of a shape, defined once. */
  function named(kind: "list" | "map", shape: string): string {
    const name = `${kind}Of${shape.charAt(0).toUpperCase()}${shape.slice(1)}`;
    printed.set(name, `const ${name} = ${kind}(${shape});\n`);
    return name;
  }

  function print(schema: Schema): string {
    if (schema.$ref) return refer(schema.$ref);
    const alternatives = alternativesOf(schema);
    if (alternatives) {
      const shapes = [...new Set(alternatives.map(print))];
      // An open enumeration is any string.
      return shapes.length === 1 ? (shapes[0] as string) : `anyOf(${shapes.join(", ")})`;
    }
    switch (schema.type) {
      case "string":
        return "text";
      case "integer":
        return "integer";
      case "boolean":
        return schema.enum?.length === 1 ? `literal(${schema.enum[0]})` : "flag";
      case "null":
        return "nothing";
      case "array":
        return named("list", print(schema.items ?? {}));
      case "object":
        return typeof schema.additionalProperties === "object"
          ? named("map", print(schema.additionalProperties))
          : printObject(schema);
    }
    throw new Error(`openapi.yaml has a schema that the generator does not support: ${JSON.stringify(schema)}`);
  }

  /** The test of a value as an expression that names each member. A loop over the names takes four times as long. */
  function test(schema: Schema, value: string): string {
    if (schema.$ref) {
      const shape = refer(schema.$ref);
      return combinators.includes(shape)
        ? test(schemas[nameOf(schema.$ref)] as Schema, value)
        : `${shape}.fits(${value})`;
    }
    const alternatives = alternativesOf(schema);
    if (alternatives) return `(${[...new Set(alternatives.map((each) => test(each, value)))].join(" || ")})`;
    switch (schema.type) {
      case "string":
        return `typeof ${value} === "string"`;
      case "integer":
        return `Number.isInteger(${value})`;
      case "boolean":
        return schema.enum?.length === 1 ? `${value} === ${schema.enum[0]}` : `typeof ${value} === "boolean"`;
      case "null":
        return `${value} === null`;
      default:
        return `${print(schema)}.fits(${value})`;
    }
  }

  function testObject({ properties = {}, required = [] }: Schema): string {
    const tests = Object.entries(properties).map(([name, member]) => {
      const passes = test(member, `value.${name}`);
      return required.includes(name) ? passes : `(value.${name} === undefined || ${passes})`;
    });
    return `(value) =>\n    ${tests.join(" &&\n    ")}`;
  }

  function printObject(schema: Schema): string {
    const { properties = {}, required = [] } = schema;
    const members = (needed: boolean) =>
      Object.entries(properties)
        .filter(([name]) => required.includes(name) === needed)
        .map(([name, member]) => `  ${name}: ${print(member)},\n`)
        .join("");
    const optional = members(false);
    return `object(\n  ${testObject(schema)},\n{\n${members(true)}}${optional && `, {\n${optional}}`})`;
  }

  const answers = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => {
      const schema = responses["200"]?.content?.["application/json"]?.schema;
      return schema ? `  ${operationId}: ${print(schema)},\n` : [];
    });
  const body = [...printed.values()].join("");
  const used = combinators.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return [
    `import { ${used.join(", ")} } from "../src/validate/shape.js";\n\n`,
    body,
    `\n/** The response of each operation. */\nexport const answers = {\n${answers.join("")}};\n`,
  ].join("");
}
