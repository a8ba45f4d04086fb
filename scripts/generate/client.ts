/** Prints `generated/client.ts`: the argument types, and the operations as documented methods of the client. */
import {
  type Description,
  type Group,
  isGroup,
  isNamedEnum,
  type Member,
  nameOf,
  operationsOf,
  type ResolvedOperation,
} from "./description.js";
import { comment, printInterface, printMember, printType } from "./printing.js";

/** The types of the client's options and results. */
const imports = `
import type { Listing, ListingOptions } from "../src/client/listing.js";
import type { Call } from "../src/http/call.js";
import type { CallOptions } from "../src/http/call-options.js";
import type { NanosecondTime } from "../src/values/times.js";
`;

/** `main.ts` removes the imports that are not used. */
export function printClient(description: Description): string {
  const operations = operationsOf(description);
  const names = Object.entries(description.components.schemas);
  const enums = names.filter(([, schema]) => isNamedEnum(schema)).map(([name]) => name);
  const others = names.filter(([name]) => !enums.includes(name)).map(([name]) => name);
  return [
    imports,
    `import type { ${enums.join(", ")} } from "./enums.js";\n`,
    `import type { ${others.join(", ")} } from "./types.js";\n\n`,
    [
      ...printArguments(operations).values(),
      printOperationIds(operations),
      printOperationTypes(operations),
      printMethods(operations),
    ].join("\n"),
  ].join("");
}

/** The names of the types of all arguments, without those that only others are made of. */
export function argumentNamesOf(description: Description): string[] {
  const operations = operationsOf(description);
  const variants = operations.flatMap(({ "x-atLeastOneOf": choices = [] }) => choices.map(({ name }) => name));
  const groups = operations.flatMap(({ members }) => members.filter(isGroup).map(({ group }) => group));
  const parts = [...variants, ...groups.filter((group) => group.variants).map(({ name }) => baseOf(name))];
  return [...printArguments(operations).keys()].filter((name) => !parts.includes(name)).sort();
}

/** The types of all arguments by name; a group of parameters that several operations share comes once. */
function printArguments(operations: ResolvedOperation[]): Map<string, string> {
  const interfaces = new Map<string, string>();
  const define = (name: string, text: string) => {
    const known = interfaces.get(name);
    if (known !== undefined && known !== text)
      throw new Error(`\`${name}\` of openapi.yaml has different members in two operations.`);
    interfaces.set(name, text);
  };
  for (const operation of operations) {
    for (const { group, members } of operation.members.filter(isGroup)) {
      const { name, description, variants } = group;
      const base = variants ? baseOf(name) : name;
      define(base, printInterface(base, description, members.map(printArgument)));
      for (const variant of variants ?? []) {
        const without = variant.without.map((name) => `  ${name}?: undefined;\n`);
        define(variant.name, printInterface(variant.name, variant.description, without, base));
      }
      if (variants) define(name, printUnion(name, description, variants));
    }
    for (const [name, text] of printOwnArguments(operation)) define(name, text);
  }
  return interfaces;
}

/** The type of an operation's argument; with x-atLeastOneOf, a union of interfaces that require one parameter each. */
function printOwnArguments({
  operationId,
  members,
  argumentsName,
  "x-atLeastOneOf": choices,
}: ResolvedOperation): [string, string][] {
  if (members.length === 0) return [];
  if (!choices) {
    return [
      [argumentsName, printInterface(argumentsName, `The argument of \`${operationId}\`.`, members.map(printArgument))],
    ];
  }
  const shared = members.filter(({ name }) => !choices.some(({ parameter }) => parameter === name));
  // Each parameter is in one interface only: editors show the description of a member of a union only then.
  const variants = choices.map(({ parameter, name, description }): [string, string] => {
    const own = members.filter((member): member is Member => !isGroup(member) && member.name === parameter);
    const required = own.map((member) => ({ ...member, required: true }));
    return [name, printInterface(name, `${description}\n\n@inline`, [...required, ...shared].map(printArgument))];
  });
  const parameters = choices.map(({ parameter }) => `\`${parameter}\``).join(" or ");
  const description = `The argument of \`${operationId}\`: ${parameters} is required.`;
  return [...variants, [argumentsName, printUnion(argumentsName, description, choices)]];
}

/** The interface that the variants of a group extend. Editors show the descriptions of members that come once. */
const baseOf = (group: string) => `${group}Members`;

const printUnion = (name: string, description: string, variants: readonly { name: string }[]) =>
  `${comment(description)}export type ${name} = ${variants.map((variant) => variant.name).join(" | ")};\n`;

function printArgument(member: Member | Group): string {
  if (isGroup(member))
    return printMember(
      member.name,
      member.group.name,
      member.members.some(({ required }) => required),
      member.group.description,
    );
  return printMember(member.name, typeOfArgument(member), member.required, member.description);
}

function typeOfArgument({ schema, unit }: Member): string {
  if (unit === "unix-nanoseconds") return "NanosecondTime";
  return schema.type === "array" ? `readonly ${printType(schema)}` : printType(schema);
}

/** The type of an operation's argument, and whether a call can omit it. */
function argumentOf(operation: ResolvedOperation): { name: string; type: string; isOptional: boolean } | undefined {
  const { members, argumentsName, requestBody, "x-atLeastOneOf": choices } = operation;
  if (members.length === 0) return undefined;
  const isRequired = (member: Member | Group): boolean =>
    isGroup(member) ? member.members.some(isRequired) : member.required;
  return {
    name: requestBody ? "request" : "query",
    type: argumentsName,
    isOptional: choices === undefined && !members.some(isRequired),
  };
}

const printOperationIds = (operations: ResolvedOperation[]) =>
  printUnion(
    "OperationId",
    "The name of an operation, which is the name of a method of the client.",
    operations.map(({ operationId }) => ({ name: JSON.stringify(operationId) })),
  );

function printOperationTypes(operations: ResolvedOperation[]): string {
  const members = operations.map((operation) => {
    const { operationId, body, list } = operation;
    const record = list ? `record: ${list.record}` : "record?: undefined";
    return `  ${operationId}: { arguments: ${argumentOf(operation)?.type ?? "undefined"}; body: ${nameOf(body.$ref ?? "")}; ${record} };\n`;
  });
  return printInterface(
    "OperationTypes",
    "For each operation its argument, the body of its response, and for a list its record.",
    members,
  );
}

function printMethods(operations: ResolvedOperation[]): string {
  const methods = operations.map((operation) => {
    const { operationId, list, body } = operation;
    const argument = argumentOf(operation);
    const result = list ? `Listing<${list.record}>` : `Call<${nameOf(body.$ref ?? "")}>`;
    const parameters = [
      ...(argument ? [`${argument.name}${argument.isOptional ? "?" : ""}: ${argument.type}`] : []),
      `options?: ${list ? "ListingOptions" : "CallOptions"}`,
    ];
    return `${comment(documentationOf(operation), "  ")}  ${operationId}(${parameters.join(", ")}): ${result};\n`;
  });
  return printInterface("OperationMethods", "The operations of `openapi.yaml` as methods of the client.", [
    methods.join("\n"),
  ]);
}

function documentationOf(operation: ResolvedOperation): string {
  const {
    summary,
    description = `${summary}.`,
    "x-clientNotes": notes,
    "x-codeSamples": samples = [],
    "x-defaultPageSize": size,
  } = operation;
  const sample = samples.find(({ lang }) => lang === "TypeScript");
  // How nodes respond is on the page of the description. An editor shows the parts that a caller needs.
  const [introduction] = description.split(/\n\n/);
  return [
    introduction,
    notes,
    size && `Default page size: ${size}.`,
    sample && `@example\n\`\`\`ts\n${sample.source.trimEnd()}\n\`\`\``,
  ]
    .filter(Boolean)
    .map((paragraph) => String(paragraph).trim())
    .join("\n\n");
}
