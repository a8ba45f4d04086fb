import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { titleOf } from "../../docs/.vitepress/pages.js";
import { exampleData, exampleValues } from "../../docs/.vitepress/theme/operations/example-node.js";
import type { FormValues, OperationId } from "../../docs/.vitepress/theme/operations/fields.js";
import { createFakeNode } from "../../src/testing/index.js";
import {
  type Description,
  isGroup,
  isNamedEnum,
  type Member,
  nameOf,
  operationsOf,
  type ResolvedOperation,
  readDescription,
  resolve,
  type Schema,
} from "../generate/description.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const docs = `${root}/docs`;

interface Examples {
  examples?: Record<string, { summary: string; value: unknown }>;
}

interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref: string }>;
  content?: { "application/json"?: Examples };
}

/** The members of the description that the generators of code do not read. */
interface Texts {
  info: { description: string };
  components: { responses: Record<string, Response>; headers: Record<string, { description: string }> };
}

/** The pages to read after an operation. */
const further: Partial<Record<OperationId, string[]>> = {
  listVotes: ["pagination", "following", "testing"],
  listPartiesProfiles: ["pagination", "errors", "recipes"],
  getSpamStatistics: ["errors", "rate-limits", "recipes-ui"],
  listBalanceChanges: ["scans", "pagination", "following"],
  listNodeSignatures: ["pagination", "following", "recipes"],
  checkTransaction: ["errors", "several-nodes", "testing"],
};

/** Writes a page for each operation of `openapi.yaml`, a page that lists them, and their sidebar. */
export async function writeOperations(): Promise<void> {
  const source = await readFile(`${root}/openapi.yaml`, "utf8");
  const description = readDescription(source) as Description & Texts;
  const operations = operationsOf(description);
  for (const folder of ["operations", "public", ".vitepress/generated"])
    await mkdir(`${docs}/${folder}`, { recursive: true });
  await writeFile(`${docs}/public/openapi.yaml`, source);
  const values = exampleValues(createFakeNode(exampleData).records);
  for (const operation of operations) {
    const text = operationPage(operation, description, values[operation.operationId as OperationId] ?? {});
    await writeFile(`${docs}/operations/${operation.operationId}.md`, text);
  }
  await writeFile(`${docs}/operations/index.md`, listPage(operations, description));
  const sidebar = operations.map(({ operationId, summary }) => ({ text: summary, link: `/operations/${operationId}` }));
  await writeFile(`${docs}/.vitepress/generated/operations-sidebar.json`, JSON.stringify(sidebar));
}

function listPage(operations: ResolvedOperation[], { info }: Texts): string {
  const rows = operations.map(({ operationId, summary, description = "", method, path }) => {
    const [sentence = ""] = /^.*?\.(?=\s|$)/.exec(description.replaceAll("\n", " ")) ?? [];
    const call = `\`client.${operationId}()\`<br>\`${method.toUpperCase()} ${path}\``;
    return `| [${summary}](${operationId}.md) | ${sentence} | ${call} |`;
  });
  const [intro = "", ...rules] = info.description.trim().split("\n\n");
  return page(
    "# Operations",
    intro,
    ["| Operation | What it does | Call and request |", "|---|---|---|", ...rows].join("\n"),
    `Each page has a form that sends the request. The node \`https://node.example\` of these forms is a [fake node](../testing.md)
that runs in the page: it has generated records, and the limits, errors and paging defects of a v0.74 node. No request leaves
the page, unless the URL of another node is entered.

The operations are described in [openapi.yaml](../openapi.yaml){target="_self"}, an OpenAPI 3.1 description, which is also part of the package:
\`vegaprotocol-client/openapi.yaml\` and \`vegaprotocol-client/openapi.json\`.`,
    "## Conventions",
    "<!-- search: party id, partyId, pubkey, public key, wallet -->",
    rules.join("\n\n"),
    readNext(["getting-started", "pagination", "errors", "rate-limits", "testing"]),
  );
}

function operationPage(operation: ResolvedOperation, description: Description & Texts, values: FormValues): string {
  const { operationId, summary, list } = operation;
  const responses = operation.responses as Record<string, Response>;
  const notes = operation["x-clientNotes"] ?? "";
  const sample = operation["x-codeSamples"]?.find(({ lang }) => lang === "TypeScript")?.source ?? "";
  const form = { ...exampleBody(operation), ...values };
  const request = operation.members.flatMap((member) =>
    !isGroup(member) && member.in === "body" ? [member.schema] : [],
  );
  const { "200": success = {}, ...errors } = responses;
  return page(
    `<script setup>\nimport OperationConsole from "../.vitepress/theme/operations/OperationConsole.vue";\nconst values = ${JSON.stringify(form)};\n</script>`,
    `# ${summary}`,
    `\`${operation.method.toUpperCase()} ${operation.path}\` · \`client.${operationId}()\``,
    operation.description ?? "",
    "## With the client",
    notes,
    `\`\`\`ts\n${sample}\`\`\``,
    "## Try it",
    consoleNotes(operation),
    `<OperationConsole operation="${operationId}" :values="values" />`,
    "## Parameters",
    operation.members.some(isGroup)
      ? "The client takes a dotted name as a nested object: `pagination.first` is `{ pagination: { first } }`."
      : "",
    members(parameters(operation, description)),
    ...schemas(request, description),
    "## Response",
    success.description ?? "",
    list
      ? `The records are in \`${list.envelope}.edges[].node\`, the position of the page is in \`${list.envelope}.pageInfo\`.`
      : "",
    ...schemas(list ? [{ $ref: list.record }, { $ref: "PageInfo" }] : [operation.body], description),
    "### Headers",
    details("Headers of the response", members(headers(success, description))),
    "### Examples",
    examples(success),
    "## Errors",
    ...Object.entries(errors).flatMap(([status, response]) => {
      const resolved = response.$ref ? (description.components.responses[nameOf(response.$ref)] ?? response) : response;
      return [`**${status === "default" ? "Other" : status}.** ${resolved.description}`, examples(resolved)];
    }),
    "The client throws these as [errors](../errors.md), and retries those that can be transient.",
    readNext(further[operationId as OperationId] ?? ["pagination", "errors", "testing"]),
  );
}

const page = (...blocks: string[]) =>
  `${blocks
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .join("\n\n")}\n`;
const members = (entries: string[]) => `<dl class="members">\n\n${entries.join("\n\n")}\n\n</dl>`;
const details = (summary: string, content: string) =>
  `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
const entry = (name: string, type: string, text: string, names = "") =>
  `<dt><code>${name}</code> <span>${type}</span></dt>\n<dd>\n\n${page(text, names)}\n</dd>`;

/** What the prefilled values of the form do, where that is not obvious. */
function consoleNotes({ list, operationId, "x-cursors": cursors }: ResolvedOperation): string {
  if (operationId === "checkTransaction")
    return `The transaction below passes. If it is sent again, the example node rejects it with code 89, as a node does in the same block.
"Begin next block" lets it pass again.`;
  if (list === undefined) return "";
  if (cursors?.rejectedWith !== undefined)
    return `"Next page" fails with status ${cursors.rejectedWith}, as on v0.74 nodes, and says why. Increase \`pagination.first\` to get more records. Without
a page size and a cursor, the code below the form is a loop over all records.`;
  return `The form asks for a small page. "Next page" copies \`endCursor\` of the response to \`pagination.after\` and sends the request. Without a page
size and a cursor, the code below the form is a loop over all records.`;
}

/** The members of the body in the first example, as the form holds them. */
function exampleBody({ requestBody }: ResolvedOperation): FormValues {
  const { examples = {} } = (requestBody?.content?.["application/json"] ?? {}) as Examples;
  const [example] = Object.values(examples);
  return Object.fromEntries(
    Object.entries(example?.value ?? {}).map(([name, value]) => [name, JSON.stringify(value, null, 2)]),
  );
}

function parameters(operation: ResolvedOperation, description: Description): string[] {
  const all: Member[] = operation.members.flatMap((member) => (isGroup(member) ? member.members : [member]));
  return all.map(({ wireName, schema, required, description: text = "", in: place }) => {
    const marks = [typeOf(schema, description), place === "query" ? "" : `in the ${place}`, required ? "required" : ""];
    return entry(wireName, marks.filter(Boolean).join(", "), text, enumOf(schema, description));
  });
}

/** The objects that schemas consist of, each under a heading. */
function schemas(roots: Schema[], description: Description): string[] {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    const { properties, anyOf = [], oneOf = [], items } = resolve(schema, description);
    const name = schema.$ref && nameOf(schema.$ref);
    if (name !== undefined && found.has(name)) return;
    if (name !== undefined && properties) found.add(name);
    for (const each of [...anyOf, ...oneOf, ...Object.values(properties ?? {}), ...(items ? [items] : [])]) visit(each);
  };
  for (const root of roots) visit(root);
  return [...found].flatMap((name) => {
    const { description: text = "", properties = {}, required = [] } = resolve({ $ref: name }, description);
    const entries = Object.entries(properties).map(([property, schema]) => {
      const type = `${typeOf(schema, description)}${required.includes(property) ? "" : ", optional"}`;
      return entry(property, type, textOf(schema, description), enumOf(schema, description));
    });
    return [`### ${name}`, text, members(entries)];
  });
}

const textOf = (schema: Schema, description: Description) =>
  schema.description ?? resolve(schema, description).description ?? "";

/** The type of a value, in words. */
function typeOf(schema: Schema, description: Description): string {
  if (schema.items) return `array of ${typeOf(schema.items, description)}`;
  const target = resolve(schema, description);
  if (schema.$ref && target.properties)
    return `<a href="#${nameOf(schema.$ref).toLowerCase()}">${nameOf(schema.$ref)}</a>`;
  if (target.enum && !isNamedEnum(target)) return target.enum.map((value) => JSON.stringify(value)).join(" or ");
  const alternatives = target.anyOf ?? target.oneOf;
  if (alternatives) {
    const types = alternatives.map((each) => (enumNameOf(each, description) ? "name" : typeOf(each, description)));
    // A name is a string.
    return [...new Set(types)].filter((type) => type !== "string" || !types.includes("name")).join(" or ");
  }
  if (isNamedEnum(target)) return "name";
  const types = [target.type ?? "object"].flat();
  return types
    .map((type) => (type === "object" && typeof target.additionalProperties === "object" ? "map" : type))
    .map((type) => (type === "string" ? formatOf(target) : type))
    .join(" or ");
}

function formatOf({ format, "x-unit": unit }: Schema): string {
  if (unit === "unix-nanoseconds") return "string of Unix nanoseconds";
  if (format === "int64" || format === "uint64") return `string of digits (${format})`;
  return format === "byte" ? "string in base64" : "string";
}

function enumNameOf(schema: Schema, description: Description): string | undefined {
  return schema.$ref && isNamedEnum(resolve(schema, description)) ? nameOf(schema.$ref) : undefined;
}

/** The names of an enumeration, closed if there are many. */
function enumOf(schema: Schema, description: Description): string {
  const item = schema.items ?? schema;
  const name = [item, ...(item.anyOf ?? [])].map((each) => enumNameOf(each, description)).find(Boolean);
  if (name === undefined) return "";
  const { enum: names = [], "x-enumDescriptions": texts = {} } = resolve({ $ref: name }, description);
  const list = names.map((each) => `- \`${each}\`: ${texts[`${each}`] ?? ""}`).join("\n");
  return names.length > 6 ? details(`${names.length} names`, list) : list;
}

function headers({ headers: references = {} }: Response, { components }: Texts): string[] {
  return Object.entries(references).map(([name, { $ref }]) =>
    entry(name, "", components.headers[nameOf($ref)]?.description ?? ""),
  );
}

/** The examples of a response, closed. */
function examples({ content }: Response): string {
  return Object.values(content?.["application/json"]?.examples ?? {})
    .map(({ summary, value }) => details(summary, `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``))
    .join("\n\n");
}

function readNext(pages: readonly string[]): string {
  return `## Read next\n\n${pages.map((name) => `- [${titleOf(name)}](../${name}.md)`).join("\n")}`;
}
