/** Prints `openapi.yaml` as a page of the site: each operation with an example, and then the conventions of all. */
import {
  nameOf,
  operationsOf,
  type Parameter,
  type ResolvedOperation,
  readDescription,
  resolve,
  type Schema,
} from "../generate/description.js";

export function printDescription(yaml: string): string {
  const description = readDescription(yaml);
  const { parameters: shared, schemas } = description.components;
  const enumerations = Object.entries(schemas).filter(([, schema]) => schema["x-enumDescriptions"]);
  return [
    "# OpenAPI reference\n",
    'Each operation of [`openapi.yaml`](/openapi.yaml){target="_self"} with an example. [Operations](operations.md) is the guide to them.\n',
    "<!-- search: swagger, openapi, redoc, postman, codegen, code generator, api description, endpoints -->\n",
    ...operationsOf(description).map(printOperation),
    "## Pages\n",
    "The response of a list is a page: `edges` with a record (`node`) and its `cursor` each, and `pageInfo`. These parameters choose it:\n",
    table("Parameter", Object.values(shared).map(rowOfParameter)),
    table("Member of `pageInfo`", rowsOf({ $ref: "PageInfo" })),
    "## Enumerations\n",
    ...enumerations.map(([name, { "x-enumDescriptions": names = {} }]) =>
      table(
        `\`${name}\``,
        Object.entries(names).map(([value, meaning]) => [`\`${value}\``, meaning]),
      ),
    ),
    "## Conventions\n",
    description.info.description,
  ].join("\n");

  function printOperation(operation: ResolvedOperation): string {
    const { method, path, operationId, summary, parameters = [], requestBody, responses, body, list } = operation;
    const [introduction = "", ...facts] = (operation.description ?? "").trim().split(/\n\n/);
    const samples = (operation["x-codeSamples"] ?? []).map(({ lang, source }) =>
      lang === "TypeScript" ? fence("ts", "vegaprotocol-client", source) : fence("sh", "curl", source),
    );
    const [example] = Object.values(responses["200"]?.content?.["application/json"]?.examples ?? {});
    const request = requestBody?.content?.["application/json"]?.schema;
    const rows = parameters.flatMap((each) => ("$ref" in each ? [] : [rowOfParameter(each)]));
    if (rows.length < parameters.length)
      rows.push(["`pagination.*`", "[page](#pages)", "The page of the list to return."]);
    return [
      `## ${summary}\n`,
      `\`${method.toUpperCase()} ${path}\` · \`client.${operationId}\`\n`,
      `${introduction}\n`,
      "::: code-group\n",
      ...samples,
      ":::\n",
      fence("json", "", JSON.stringify(shorten(example?.value), null, 2)),
      ...(rows.length > 0 ? [table("Parameter", rows)] : []),
      ...(request ? [table("Body", rowsOf(request))] : []),
      list ? table("Record", rowsOf({ $ref: list.record })) : table("Response", rowsOf(body)),
      ...facts.map((fact) => `${fact}\n`),
    ].join("\n");
  }

  function rowOfParameter({ name, schema, description = "", required, "x-unit": unit }: Parameter): string[] {
    const type = typeOf(unit ? { ...schema, "x-unit": unit } : schema);
    return [`\`${name}\`${required ? " (required)" : ""}`, type, description];
  }

  /** A row for each member of an object, and of the objects in it. Of objects that are alike, the first one shows them. */
  function rowsOf(schema: Schema, prefix = "", shown = new Set<string>()): string[][] {
    const { properties = {}, required = [] } = objectOf(schema);
    return Object.entries(properties).flatMap(([name, value]) => {
      const member = objectOf(value);
      const path = `${prefix}${name}`;
      const inner = member.items ? objectOf(member.items) : member;
      const content = Object.keys(inner.properties ?? {}).join(" ");
      const rows =
        content === "" || shown.has(content)
          ? []
          : rowsOf(inner, `${path}${member.items ? "[]" : ""}.`, shown.add(content));
      const note = required.includes(name) || prefix === "" ? "" : " (optional)";
      const meaning = value.description ?? member.description ?? "";
      return [[`\`${path}\`${note}`, typeOf(value), meaning], ...rows];
    });
  }

  /** A schema that is one of several, or null, as the first one that is an object. */
  function objectOf(schema: Schema): Schema {
    const { anyOf = [], oneOf = [], ...resolved } = resolve(schema, description);
    const parts = [...anyOf, ...oneOf].map((part) => resolve(part, description));
    return { ...parts.find(({ properties }) => properties), ...resolved };
  }

  function typeOf(schema: Schema): string {
    const { type, items, anyOf = [], oneOf = [], enum: names, "x-unit": unit } = resolve(schema, description);
    if (names?.every((name) => typeof name === "string"))
      return schema.$ref ? `[${nameOf(schema.$ref)}](#enumerations)` : names.map((name) => `\`${name}\``).join(", ");
    if (unit === "unix-nanoseconds") return "Unix nanoseconds";
    if (items) return `list of ${typeOf(items)}`;
    const types = [type ?? [], ...[...anyOf, ...oneOf].map(typeOf)].flat();
    return [...new Set(types)].join(" or ") || "object";
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
