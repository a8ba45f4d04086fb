/** Prints `generated/types.ts`, `generated/enums.ts` and `generated/public.ts`, which has the exports of the package. */
import { argumentNamesOf } from "./client.js";
import {
  camelCase,
  type Description,
  isNamedEnum,
  nameOf,
  operationsOf,
  partSchemasOf,
  requestSchemasOf,
  type Schema,
} from "./description.js";
import { comment, printInterface, printMember, printType } from "./printing.js";

/** A type for each schema that is not an enumeration; arguments come from `client.ts`. */
export function printTypes(description: Description): string {
  const { schemas } = description.components;
  const isEnum = (name: string) => isNamedEnum(schemas[name] as Schema);
  const requests = requestSchemasOf(description);
  const parts = partSchemasOf(description);
  const records = Object.entries(schemas)
    .filter(([name]) => !isEnum(name) && !requests.includes(name))
    .map(([name, schema]) => printSchema(name, schema, schemas, parts.includes(name)));
  const enums = Object.keys(schemas).filter(isEnum);
  // The body of a request has no interface: the argument has its members.
  const typeOf = (name: string) =>
    requests.includes(name) ? `import("./openapi.js").components["schemas"]["${name}"]` : name;
  const others = Object.keys(schemas).filter((name) => !isEnum(name));
  const components = others.map((name) => `  ${name}: ${typeOf(name)};\n`);
  return [
    `import type { ${enums.join(", ")} } from "./enums.js";\n\n`,
    `export type { ${argumentNamesOf(description).join(", ")} } from "./client.js";\n\n`,
    records.join("\n"),
    "\n",
    printInterface("ComponentTypes", "The type of each named component of the description.", components),
  ].join("");
}

/**
 * A part of others is an alias that is not exported: TypeScript writes its members into the declarations of other packages, and TypeDoc
 * into the reference.
 */
function printSchema(name: string, schema: Schema, schemas: Record<string, Schema>, isPart: boolean): string {
  if (!schema.properties) return `${comment(schema.description)}export type ${name} = ${printType(schema)};\n`;
  const members = Object.entries(schema.properties).map(([property, type]) => {
    const { description } = type.$ref ? (schemas[nameOf(type.$ref)] as Schema) : type;
    return printMember(property, printType(type), schema.required?.includes(property) ?? false, description);
  });
  if (schema.additionalProperties === true) members.push("  [member: string]: unknown;\n");
  if (!isPart) return printInterface(name, schema.description, members);
  return `${comment(`${schema.description ?? ""}\n\n@inline`)}type ${name} = {\n${members.join("")}};\n`;
}

/** For each enumeration its type, its known names and a guard. */
export function printEnums({ components }: Description): string {
  return Object.entries(components.schemas)
    .filter(([, schema]) => isNamedEnum(schema))
    .map(([name, schema]) => {
      const values = (schema.enum ?? []).map((value) => JSON.stringify(value));
      const meanings = Object.entries(schema["x-enumDescriptions"] ?? {}).map(
        ([value, meaning]) => `- \`${value}\`: ${meaning}`,
      );
      const list = enumListOf(name);
      return [
        comment([schema.description, "", ...meanings].join("\n")),
        `export type ${name} =\n${values.map((value) => `  | ${value}`).join("\n")};\n\n`,
        comment(`The known names of {@link ${name}}. A newer node can return other names.`),
        `export const ${list} = [\n${values.map((value) => `  ${value},`).join("\n")}\n] as const satisfies readonly ${name}[];\n\n`,
        comment(`Returns whether a value from a node is one of the known names of {@link ${name}}.`),
        `export function is${name}(value: unknown): value is ${name} {\n`,
        `  return (${list} as readonly unknown[]).includes(value);\n}\n`,
      ].join("");
    })
    .join("\n");
}

/** The constant that holds the known names of an enumeration. */
export const enumListOf = (name: string) => `${camelCase(name)}s`;

export function printPublic(description: Description): string {
  const { schemas } = description.components;
  const wrappers = operationsOf(description).flatMap(({ list }) => list?.wrappers ?? []);
  const omitted = [...requestSchemasOf(description), ...wrappers, ...partSchemasOf(description)];
  const names = Object.keys(schemas).filter((name) => !isNamedEnum(schemas[name] as Schema) && !omitted.includes(name));
  return [
    'export * from "./enums.js";\n',
    `export type { ${[...argumentNamesOf(description), ...names].sort().join(", ")} } from "./types.js";\n`,
  ].join("");
}
