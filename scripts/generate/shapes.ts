/** Prints `generated/shapes.ts`: the shapes of responses, which the validator checks at run time. */
import { camelCase, type Description, isNamedEnum, nameOf, pascalCase, type Schema } from "./description.js";
import { quoteKey } from "./printing.js";

const combinators = ["anyOf", "flag", "integer", "list", "literal", "map", "nothing", "number", "object", "text"];

/** Whether a constant of a module cannot have a name, although a schema can. */
function isReserved(name: string): boolean {
  if ([...combinators, "responseShapes", "componentShapes", "await"].includes(name)) return true;
  try {
    new Function(`"use strict"; const ${name} = 0;`);
    return false;
  } catch {
    return true;
  }
}

const alternativesOf = ({ anyOf, oneOf, ...schema }: Schema): Schema[] | undefined =>
  anyOf ?? oneOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : undefined);

const isObject = (schema: Schema) => schema.type === "object" && typeof schema.additionalProperties !== "object";

/** A shape for each schema of a response. A shape comes before the shapes that use it. */
export function printShapes({ paths, components: { schemas } }: Description): string {
  /** The code of each constant, by its name. */
  const constants = new Map<string, string>();
  /** The name of the constant for a schema, by the name of the schema or its code. */
  const names = new Map<string, string>();
  /** The schemas that are being printed. */
  const open = new Set<string>();

  /** Defines a constant once for a key, and returns its name. */
  function define(key: string, suggestion: string, code: string): string {
    let name = names.get(key) ?? suggestion.replace(/\W/g, "");
    if (names.has(key)) return name;
    while (isReserved(name) || constants.has(name)) name += "_";
    names.set(key, name);
    constants.set(name, code);
    return name;
  }

  function refer(reference: string): string {
    const name = nameOf(reference);
    const known = names.get(name);
    if (known !== undefined) return known;
    if (open.has(name))
      throw new Error(`\`${name}\` of openapi.yaml contains itself, which the validator does not support.`);
    open.add(name);
    const schema = schemas[name] as Schema;
    const code = isObject(schema) ? printObject(schema) : print(schema);
    open.delete(name);
    return combinators.includes(code) ? code : define(name, camelCase(name), code);
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
      case "number":
        return schema.type;
      case "boolean":
        return schema.enum?.length === 1 ? `literal(${schema.enum[0]})` : "flag";
      case "null":
        return "nothing";
      case "array":
        return defineEach("list", print(schema.items ?? {}));
      case "object": {
        if (typeof schema.additionalProperties === "object")
          return defineEach("map", print(schema.additionalProperties));
        const code = printObject(schema);
        return define(code, "inlineObject", code);
      }
    }
    throw new Error(`openapi.yaml has a schema that the generator does not support: ${JSON.stringify(schema)}`);
  }

  /** A list or a map of a shape. */
  function defineEach(kind: "list" | "map", shape: string): string {
    const code = `${kind}(${shape})`;
    return define(code, `${kind}Of${pascalCase(shape)}`, code);
  }

  function printObject(schema: Schema): string {
    const { properties = {}, required = [] } = schema;
    const members = (needed: boolean) =>
      Object.entries(properties)
        .filter(([name]) => required.includes(name) === needed)
        .map(([name, member]) => `  ${quoteKey(name)}: ${print(member)},\n`)
        .join("");
    const optional = members(false);
    return `object({\n${members(true)}}${optional && `, {\n${optional}}`})`;
  }

  const responseShapes = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => {
      const schema = responses["200"]?.content?.["application/json"]?.schema;
      return schema ? `  ${operationId}: ${print(schema)},\n` : [];
    });
  const components = Object.keys(schemas).filter((name) => !isNamedEnum(schemas[name] as Schema));
  const componentShapes = components.map((name) => `  ${name}: ${refer(name)},\n`);
  const body = [...constants].map(([name, code]) => `const ${name} = ${code};\n`).join("");
  const used = combinators.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return [
    `import { ${used.join(", ")} } from "../src/validate/shape.js";\n\n`,
    body,
    `\n/** The shape of each operation's response. */\nexport const responseShapes = {\n${responseShapes.join("")}};\n`,
    `\n/** The shape of each named component of the description, except enumerations. */\n`,
    `export const componentShapes = {\n${componentShapes.join("")}};\n`,
  ].join("");
}
