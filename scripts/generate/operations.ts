/** Prints `generated/operations.ts`: the operations as data, of the type `OperationTable` of `src/arguments/operation.ts`. */

import {
  camelCase,
  type Description,
  type Group,
  isGroup,
  isNamedEnum,
  type Member,
  nameOf,
  operationsOf,
  type ResolvedOperation,
  resolve,
  type Schema,
} from "./description.js";
import { enumListOf } from "./types.js";

/** TypeScript that is not data, such as the name of a constant. */
const code = (name: string) => `⟦${name}⟧`;

type Data = string | number | boolean | undefined | readonly Data[] | { [name: string]: Data };

const print = (data: Data): string =>
  JSON.stringify(data)
    .replaceAll(/"(\w+)":"⟦\1⟧"/g, "$1")
    .replaceAll(/"⟦(\w+)⟧"/g, "$1");

export function printOperations(description: Description): string {
  const operations = operationsOf(description);
  const table = print(
    Object.fromEntries(operations.map((operation) => [operation.operationId, dataOf(operation, description)])),
  );
  const enums = Object.entries(description.components.schemas)
    .filter(([name, schema]) => isNamedEnum(schema) && table.includes(`"values":${enumListOf(name)}`))
    .map(([name, { "x-enumNumbers": numbers = [] }]) => ({ name, list: enumListOf(name), numbers }));
  const lists = enums.map(({ list }) => list).sort();
  return [
    'import type { OperationTable } from "../src/arguments/operation.js";\n',
    enums.length > 0 ? `import { ${lists.join(", ")} } from "./enums.js";\n\n` : "\n",
    ...enums.map(({ name, numbers }) => `const ${numbersOf(name)} = ${print(numbers)} as const;\n\n`),
    "/** The facts about each operation: `Operation` and `ListOperation` explain the members. */\n",
    `export const operations = ${table} as const satisfies OperationTable;\n`,
  ].join("");
}

/** Prints `generated/hints.ts`: the parts that only errors need, and that are loaded on demand. Hints do not decide whether a request is retried. */
export function printHints(description: Description): string {
  const hints = operationsOf(description).flatMap(({ operationId, "x-hints": hints }) =>
    hints ? [[operationId, hints] as const] : [],
  );
  return `/** What a caller can do about an error, by the operation. */\nexport const hints = ${print(Object.fromEntries(hints))} as const;\n`;
}

function dataOf(operation: ResolvedOperation, description: Description): Data {
  const { path, method, list, members } = operation;
  const { "x-atLeastOneOf": choices, "x-range": range, "x-cursors": cursors } = operation;
  return {
    method: method.toUpperCase(),
    path,
    ...(list
      ? {
          kind: "list",
          envelope: list.envelope,
          defaultPageSize: operation["x-defaultPageSize"],
          naturalKey: resolve({ $ref: list.record }, description)["x-naturalKey"],
          enums: enumsOf({ $ref: list.record }, description),
          rejectedNames: operation["x-rejectedNames"],
          cursors,
        }
      : { kind: "single", responseMembers: responseMembersOf(operation.body, description) }),
    arguments: Object.fromEntries(members.map((member) => [member.name, argumentOf(member, description)])),
    atLeastOneOf: choices?.map(({ parameter }) => parameter),
    range,
    sentOnce: operation["x-sentOnce"],
  };
}

/** An enumeration. Bundlers leave out a table of plain names that is not used, but not one with spread members. */
const enumOf = (name: string) => ({ values: code(enumListOf(name)), numbers: code(numbersOf(name)) });

/** The constant that holds the numbers of an enumeration. */
const numbersOf = (name: string) => `${camelCase(name)}Numbers`;

/** The members of a record that are enumerations whose names have numbers. */
function enumsOf(record: Schema, description: Description): Data {
  const members = Object.entries(resolve(record, description).properties ?? {}).flatMap(([name, { anyOf = [] }]) => {
    return anyOf
      .filter((schema) => resolve(schema, description)["x-enumNumbers"])
      .map(({ $ref = "" }) => [name, enumOf(nameOf($ref))] as const);
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** The members that every variant of a response requires. */
function responseMembersOf(schema: Schema, description: Description): string[] {
  const { oneOf, required = [] } = resolve(schema, description);
  if (!oneOf) return required;
  const variants = oneOf.map((variant) => resolve(variant, description).required ?? []);
  return variants.reduce((shared, names) => shared.filter((name) => names.includes(name)));
}

function argumentOf(member: Member | Group, description: Description): Data {
  if (isGroup(member)) {
    const members = member.members.map((each) => [each.name, argumentOf(each, description)]);
    return { kind: "object", members: Object.fromEntries(members) };
  }
  const place = { in: member.in === "query" ? undefined : member.in, required: member.required || undefined };
  if (member.in === "body") return { kind: "json", ...place };
  if (member.unit === "unix-nanoseconds") return { kind: "nanoseconds", ...place };
  return { ...describeValue(member.schema, member.wireName, description), ...place };
}

/** The names of parameters that are ids. Other strings of a query, such as cursors, can be any text. */
const idNames = /(?:\bids?|Ids?|\bparties)$/;

function describeValue(schema: Schema, name: string, description: Description): { [name: string]: Data } {
  const { type, format, minimum, maximum } = resolve(schema, description);
  if (type === "array") return { kind: "array", items: describeValue(schema.items ?? {}, name, description) };
  if (type === "boolean") return { kind: "boolean" };
  if (type === "integer" && format === "int32") return { kind: "int32", minimum, maximum };
  const [known, open] = schema.anyOf ?? [schema];
  if (known?.$ref && isNamedEnum(resolve(known, description))) {
    return { kind: "enum", ...enumOf(nameOf(known.$ref)), pattern: open?.pattern };
  }
  if (type === "string" && !format) return { kind: idNames.test(name) ? "id" : "text" };
  throw new Error(
    `Expected the schema of \`${name}\` in openapi.yaml to be a string, a named enumeration, a boolean, an int32, an array ` +
      `of these, or a string with x-unit, got ${JSON.stringify(schema)}.`,
  );
}
