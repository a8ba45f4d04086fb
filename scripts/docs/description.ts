/** Prints `openapi.yaml` as a page of the site: each operation with an example, and then the conventions of all. */
import { parse } from "yaml";
import { nameOf, type Operation, type Parameter, type Schema } from "../generate/description.js";

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

interface Content {
  $ref?: string;
  description?: string;
  content?: { "application/json"?: Media };
}

interface Documented extends Omit<Operation, "responses" | "requestBody" | "x-codeSamples"> {
  requestBody?: Content;
  responses: Record<string, Content>;
  "x-codeSamples": { lang: string; label: string; source: string }[];
}

interface Tree {
  info: { description: string };
  paths: Record<string, Record<string, Documented>>;
  components: Record<string, Record<string, object>>;
}

export function printDescription(yaml: string): string {
  const tree: Tree = parse(yaml);
  const { parameters: shared = {}, schemas = {} } = tree.components;
  const resolve = <T extends object>(value: T): T => {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value;
    const [, , kind = "", name = ""] = $ref.split("/");
    return tree.components[kind]?.[name] as T;
  };
  const operations = Object.entries(tree.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => printOperation(method, path, operation)),
  );
  const enumerations = Object.entries(schemas as Record<string, Schema>).filter(
    ([, schema]) => schema["x-enumDescriptions"],
  );
  return [
    "# OpenAPI reference\n",
    'Each operation of [`openapi.yaml`](/openapi.yaml){target="_self"} with an example. [Operations](operations.md) is the guide to them.\n',
    "<!-- search: swagger, openapi, redoc, postman, codegen, code generator, api description, endpoints -->\n",
    ...operations,
    "## Pages\n",
    "The response of a list is a page: `edges` with a record (`node`) and its `cursor` each, and `pageInfo`. These parameters choose it:\n",
    table("Parameter", Object.values(shared as Record<string, Parameter>).map(rowOfParameter)),
    table("Member of `pageInfo`", rowsOf(schemas["PageInfo"] as Schema)),
    "## Enumerations\n",
    ...enumerations.map(([name, { "x-enumDescriptions": names = {} }]) =>
      table(
        `\`${name}\``,
        Object.entries(names).map(([value, meaning]) => [`\`${value}\``, meaning]),
      ),
    ),
    "## Conventions\n",
    tree.info.description,
  ].join("\n");

  function printOperation(method: string, path: string, operation: Documented): string {
    const { operationId, summary, description = "", parameters = [], requestBody, responses } = operation;
    const [introduction = "", ...facts] = description.trim().split(/\n\n/);
    const media = responses["200"]?.content?.["application/json"] as Media;
    const samples = operation["x-codeSamples"].map(({ lang, source }) =>
      lang === "TypeScript" ? fence("ts", "vegaprotocol-client", source) : fence("sh", "curl", source),
    );
    const example = media.example ?? Object.values(media.examples ?? {})[0]?.value;
    const request = requestBody?.content?.["application/json"]?.schema;
    const own = parameters.filter((each) => !("$ref" in each)) as Parameter[];
    const rows = own.map(rowOfParameter);
    if (own.length < parameters.length)
      rows.push(["`pagination.*`", "[page](#pages)", "The page of the list to return."]);
    const record = recordOf(media.schema);
    return [
      `## ${summary}\n`,
      `\`${method.toUpperCase()} ${path}\` · \`client.${operationId}\`\n`,
      `${introduction}\n`,
      "::: code-group\n",
      ...samples,
      ":::\n",
      fence("json", "", JSON.stringify(shorten(example), null, 2)),
      ...(rows.length > 0 ? [table("Parameter", rows)] : []),
      ...(request ? [table("Body", rowsOf(request))] : []),
      record ? table("Record", rowsOf(record)) : table("Response", rowsOf(media.schema)),
      ...facts.map((fact) => `${fact}\n`),
    ].join("\n");
  }

  /** The schema of a list's record. */
  function recordOf(schema: Schema): Schema | undefined {
    const [page] = Object.values(resolve(schema).properties ?? {});
    const { edges } = (page && withParts(resolve(page)).properties) ?? {};
    const { node } = (edges?.items && withParts(resolve(edges.items)).properties) ?? {};
    return node && withParts(resolve(node));
  }

  function rowOfParameter({ name, schema, description = "", required, "x-unit": unit }: Parameter): string[] {
    const type = typeOf(unit ? { ...schema, "x-unit": unit } : schema);
    return [`\`${name}\`${required ? " (required)" : ""}`, type, description];
  }

  /** A row for each member of an object, and of the objects in it. Of objects that are alike, the first one shows them. */
  function rowsOf(schema: Schema, prefix = "", shown = new Set<string>()): string[][] {
    const { properties = {}, required = [] } = withParts(resolve(schema));
    return Object.entries(properties).flatMap(([name, value]) => {
      const member = withParts(resolve(value));
      const path = `${prefix}${name}`;
      const inner = member.items ? withParts(resolve(member.items)) : member;
      const content = Object.keys(inner.properties ?? {}).join(" ");
      const rows =
        content === "" || shown.has(content)
          ? []
          : rowsOf(inner, `${path}${member.items ? "[]" : ""}.`, shown.add(content));
      const note = required.includes(name) || prefix === "" ? "" : " (optional)";
      const description = value.description ?? member.description ?? "";
      return [[`\`${path}\`${note}`, typeOf(value), description], ...rows];
    });
  }

  /** A schema that is one of several, or null, as the first one that is an object. */
  function withParts(schema: Schema): Schema {
    const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(resolve);
    return { ...parts.find(({ properties }) => properties), ...schema };
  }

  function typeOf(schema: Schema & { $ref?: string }): string {
    const { type, items, anyOf, oneOf, enum: names, ...resolved } = resolve(schema);
    if (names?.every((name) => typeof name === "string"))
      return schema.$ref ? `[${nameOf(schema.$ref)}](#enumerations)` : names.map((name) => `\`${name}\``).join(", ");
    if (resolved["x-unit"] === "unix-nanoseconds") return "Unix nanoseconds";
    if (items) return `list of ${typeOf(items)}`;
    const parts = [...(anyOf ?? []), ...(oneOf ?? [])].map(typeOf);
    return [...new Set([...(Array.isArray(type) ? type : type ? [type] : []), ...parts])].join(" or ") || "object";
  }
}

const fence = (language: string, label: string, code: string) =>
  `\`\`\`${language}${label && ` [${label}]`}\n${code.trimEnd()}\n\`\`\`\n`;

const table = (name: string, rows: readonly string[][]): string => {
  const head = rows[0]?.length === 2 ? [name, "Meaning"] : [name, "Type", "Description"];
  return `${[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cellOf).join(" | ")} |\n`).join("")}`;
};

const cellOf = (text: string) => text.trim().replaceAll("\n", " ").replaceAll("|", "\\|");

/** An example with one item of each list. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shorten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]));
}
