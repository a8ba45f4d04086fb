/** Prints the readable types of the package from the tree of `openapi.yaml`. */

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: (string | number | boolean)[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  "x-enumDescriptions"?: Record<string, string>;
}

export interface Parameter {
  name: string;
  in: "query" | "path";
  required?: boolean;
  description?: string;
  schema: Schema;
  "x-unit"?: string;
}

export interface Operation {
  operationId: string;
  summary: string;
  parameters?: (Parameter | { $ref: string })[];
  responses: { "200": { content?: { "application/json": { schema: Schema } } } };
}

export interface Description {
  "x-parameterGroups": Record<string, { name: string; description: string }>;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
  };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a type.
const digits = "`${bigint}`";
const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);
const pascal = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const camel = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const isNamedEnum = (schema: Schema) => schema.type === "string" && schema.enum !== undefined;

function comment(text: string | undefined, indent = ""): string {
  if (!text) return "";
  const lines = text.trim().replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** The enumerations: a type, the names that are known, and a guard for each. */
export function printEnums({ components }: Description): string {
  return Object.entries(components.schemas)
    .filter(([, schema]) => isNamedEnum(schema))
    .map(([name, schema]) => {
      const values = (schema.enum ?? []).map((value) => JSON.stringify(value));
      const meanings = Object.entries(schema["x-enumDescriptions"] ?? {}).map(
        ([value, meaning]) => `- \`${value}\`: ${meaning}`,
      );
      const list = `${camel(name)}s`;
      return [
        comment([schema.description, "", ...meanings].join("\n")),
        `export type ${name} =\n${values.map((value) => `  | ${value}`).join("\n")};\n\n`,
        comment(`The names of {@link ${name}} that this version knows. A newer node may send others.`),
        `export const ${list} = [\n${values.map((value) => `  ${value},`).join("\n")}\n] as const satisfies readonly ${name}[];\n\n`,
        comment(
          `Tells whether a value that a node sent is one of the names of {@link ${name}} that this version knows.`,
        ),
        `export function is${name}(value: unknown): value is ${name} {\n`,
        `  return (${list} as readonly unknown[]).includes(value);\n}\n`,
      ].join("");
    })
    .join("\n");
}

/** The records, and what each operation takes, with dotted parameters as nested objects. */
export function printTypes(description: Description): string {
  const { schemas } = description.components;
  const enums = Object.keys(schemas).filter((name) => isNamedEnum(schemas[name] as Schema));
  const imports = [
    `import type { ${enums.sort().join(", ")} } from "./enums.js";`,
    'import type { NanosecondTime } from "../src/values.js";',
  ];
  const records = Object.entries(schemas)
    .filter(([name]) => !enums.includes(name))
    .map(([name, schema]) => printSchema(name, schema, schemas));
  return [`${imports.join("\n")}\n`, ...records, ...printQueries(description)].join("\n");
}

function printSchema(name: string, schema: Schema, schemas: Record<string, Schema>): string {
  if (!schema.properties) return `${comment(schema.description)}export type ${name} = ${printType(schema)};\n`;
  const members = Object.entries(schema.properties).map(([property, type]) => {
    const { description } = type.$ref ? (schemas[nameOf(type.$ref)] as Schema) : type;
    return printMember(property, printType(type), schema.required?.includes(property) ?? false, description);
  });
  if (schema.additionalProperties === true) members.push("  [member: string]: unknown;\n");
  return printInterface(name, schema.description, members);
}

function printInterface(name: string, description: string | undefined, members: string[]): string {
  return `${comment(description)}export interface ${name} {\n${members.join("")}}\n`;
}

function printMember(name: string, type: string, required: boolean, description: string | undefined): string {
  return `${comment(description, "  ")}  ${key(name)}${required ? `: ${type}` : `?: ${type} | undefined`};\n`;
}

function printType(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const open = alternatives.length > 1 && alternatives.some((alternative) => alternative.$ref);
    // `| string` alone would swallow the known names, and with them their completion in an editor.
    return alternatives.map((each) => (open && each.type === "string" ? "(string & {})" : printType(each))).join(" | ");
  }
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => printType({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "null":
      return "null";
    case "boolean":
      return "boolean";
    case "integer":
    case "number":
      return "number";
    case "string":
      return schema.format === "int64" || schema.format === "uint64" ? digits : "string";
    case "array": {
      const item = printType(schema.items ?? {});
      return item.includes(" ") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      if (typeof schema.additionalProperties === "object") {
        return `{ [name: string]: ${printType(schema.additionalProperties)} }`;
      }
  }
  throw new Error(`openapi.yaml holds a schema that has no printed type yet: ${JSON.stringify(schema)}`);
}

function printQueries({ paths, components, "x-parameterGroups": groups }: Description): string[] {
  const interfaces = new Map<string, string>();
  const define = (name: string, text: string) => {
    const before = interfaces.get(name);
    if (before !== undefined && before !== text)
      throw new Error(`\`${name}\` has different members in two operations.`);
    interfaces.set(name, text);
  };
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const parameters = (operation.parameters ?? []).map((parameter) =>
      "$ref" in parameter ? (components.parameters[nameOf(parameter.$ref)] as Parameter) : parameter,
    );
    if (parameters.length === 0) continue;
    const members: string[] = [];
    for (const [group, grouped] of groupBy(parameters, ({ name }) => (name.includes(".") ? name.split(".")[0] : ""))) {
      const printed = grouped.map(({ name, schema, required = false, description, ...parameter }) =>
        printMember(nameInGroup(name), printArgument(schema, parameter["x-unit"]), required, description),
      );
      if (!group) {
        members.push(...printed);
        continue;
      }
      const meaning = groups[group];
      if (!meaning)
        throw new Error(`openapi.yaml has parameters \`${group}.…\` but no x-parameterGroups entry for them.`);
      define(meaning.name, printInterface(meaning.name, meaning.description, printed));
      members.push(printMember(group, meaning.name, false, meaning.description));
    }
    const name = `${pascal(operation.operationId)}Query`;
    define(name, printInterface(name, `What \`${operation.operationId}\` takes.`, members));
  }
  return [...interfaces.values()];
}

const nameInGroup = (name: string) => name.slice(name.indexOf(".") + 1);

function printArgument(schema: Schema, unit: string | undefined): string {
  if (unit === "unix-nanoseconds") return "NanosecondTime";
  if (schema.type === "array") return `readonly ${printType(schema)}`;
  return printType(schema);
}

function groupBy<T>(items: T[], keyOf: (item: T) => string | undefined): Map<string | undefined, T[]> {
  const groups = new Map<string | undefined, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
