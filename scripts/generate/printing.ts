/** Prints pieces of TypeScript from the description: comments, members and types. */
import { nameOf, type Schema } from "./description.js";

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a type.
const digits = "`${bigint}`";

export const quoteKey = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** A doc comment, with lines of at most 120 characters. */
export function comment(text: string | undefined, indent = ""): string {
  if (!text) return "";
  const lines = wrap(text.trim().replaceAll("*/", "*\\/"), 115 - indent.length);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Breaks lines that are too long, such as those of a folded text. The items of a list continue with an indent. */
const wrap = (text: string, width: number): string[] =>
  text.split("\n").flatMap((line) => {
    const parts = line
      .replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, "g"), "$1\n")
      .trimEnd()
      .split("\n");
    return parts.map((part, index) => (index > 0 && line.startsWith("- ") ? `  ${part}` : part));
  });

export function printInterface(
  name: string,
  description: string | undefined,
  members: string[],
  base?: string,
): string {
  const parent = base === undefined ? "" : ` extends ${base}`;
  return `${comment(description)}export interface ${name}${parent} {\n${members.join("")}}\n`;
}

export function printMember(name: string, type: string, required: boolean, description: string | undefined): string {
  return `${comment(description, "  ")}  ${quoteKey(name)}${required ? `: ${type}` : `?: ${type} | undefined`};\n`;
}

export function printType(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const isOpen = alternatives.length > 1 && alternatives.some((alternative) => alternative.$ref);
    return alternatives
      .map((each) => (isOpen && each.type === "string" ? printOpenString(each) : printType(each)))
      .join(" | ");
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
  throw new Error(`openapi.yaml has a schema that the generator does not support: ${JSON.stringify(schema)}`);
}

/** Any string in addition to the known names. Without `& {}`, TypeScript drops the known names, and editors do not complete them. */
function printOpenString({ pattern }: Schema): string {
  const [, prefix] = /^\^([A-Za-z0-9_]+)\[/.exec(pattern ?? "") ?? [];
  return prefix === undefined ? "(string & {})" : `(\`${prefix}\${string}\` & {})`;
}
