/** Prints `generated/shapes.ts`: the shapes of responses, which the validator checks at run time. */
import { camelCase, type Description, isNamedEnum, nameOf, type Schema } from "./description.js";
import { quoteKey } from "./printing.js";

const combinators = ["anyOf", "flag", "integer", "list", "literal", "map", "nothing", "number", "object", "text"];

/** The constant for a component. */
const constantOf = (name: string) => `${camelCase(name).replaceAll(/\W/g, "")}Shape`;

const alternativesOf = ({ anyOf, oneOf, ...schema }: Schema): Schema[] | undefined =>
  anyOf ?? oneOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : undefined);

/** A shape for each schema of a response. A shape comes before the shapes that use it. */
export function printShapes({ paths, components: { schemas } }: Description): string {
  /** The code of the shape of each component, by its name. */
  const shapes = new Map<string, string>();
  /** The components that are being printed. */
  const open = new Set<string>();

  function refer(reference: string): string {
    const name = nameOf(reference);
    if (open.has(name))
      throw new Error(`\`${name}\` of openapi.yaml contains itself, which the validator does not support.`);
    open.add(name);
    const code = shapes.get(name) ?? print(schemas[name] as Schema);
    shapes.set(name, code);
    open.delete(name);
    return combinators.includes(code) ? code : constantOf(name);
  }

  function print(schema: Schema): string {
    if (schema.$ref) return refer(schema.$ref);
    const alternatives = alternativesOf(schema);
    if (alternatives) {
      const codes = [...new Set(alternatives.map(print))];
      // An open enumeration is any string.
      return codes.length === 1 ? (codes[0] as string) : `anyOf(${codes.join(", ")})`;
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
        return `list(${print(schema.items ?? {})})`;
      case "object": {
        const { additionalProperties: items } = schema;
        return typeof items === "object" ? `map(${print(items)})` : printObject(schema);
      }
    }
    throw new Error(`openapi.yaml has a schema that the generator does not support: ${JSON.stringify(schema)}`);
  }

  function printObject({ properties = {}, required = [] }: Schema): string {
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
  const body = [...shapes]
    .filter(([, code]) => !combinators.includes(code))
    .map(([name, code]) => `const ${constantOf(name)} = ${code};\n`)
    .join("");
  return [
    `import { ${combinators.join(", ")} } from "../src/validate/shape.js";\n\n`,
    body,
    `\n/** The shape of each operation's response. */\nexport const responseShapes = {\n${responseShapes.join("")}};\n`,
    `\n/** The shape of each named component of the description, except enumerations. */\n`,
    `export const componentShapes = {\n${componentShapes.join("")}};\n`,
  ].join("");
}
