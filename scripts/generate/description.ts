/** The tree of `openapi.yaml`, its operations resolved, as the generators read it. The members with `x-` are its extensions. */
import { parse } from "yaml";
import type { ListOperation } from "../../src/arguments/operation.js";

type OperationFacts = ListOperation<Record<string, unknown>>;

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: (string | number | boolean)[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  /** The meaning and the number of each name. */
  "x-enumDescriptions"?: Record<string, string>;
  "x-enumNumbers"?: number[];
  /** The properties that identify a record. */
  "x-naturalKey"?: string[];
  /** The unit of a time or an amount. */
  "x-unit"?: "unix-nanoseconds" | "smallest-unit";
}

export interface Parameter {
  name: string;
  in: "query" | "path";
  required?: boolean;
  description?: string;
  schema: Schema;
  "x-unit"?: Schema["x-unit"];
}

interface Content {
  content?: { "application/json"?: { schema: Schema; examples?: Record<string, { value: unknown }> } };
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Content;
  responses: Record<string, Content>;
  "x-parameterGroups"?: Record<string, ParameterGroup>;
  /** Optional query parameters of which at least one is required. */
  "x-atLeastOneOf"?: { parameter: string; name: string; description: string }[];
  /** Two times. A start after the end is rejected. */
  "x-range"?: OperationFacts["range"];
  /** Names of an enumeration that some nodes reject in a parameter: the client selects the records itself. */
  "x-rejectedNames"?: OperationFacts["rejectedNames"];
  /** The number of records that the client requests by default. */
  "x-defaultPageSize"?: number;
  /** How the cursors of v0.74 nodes fail. */
  "x-cursors"?: OperationFacts["cursors"];
  /** What a caller can do about a repeated or a rejected cursor. */
  "x-hints"?: { repeatedCursor?: string; rejectedCursor?: string };
  /** A request must not be repeated. */
  "x-sentOnce"?: true;
  /** Parts of the documentation of the method. */
  "x-clientNotes"?: string;
  "x-codeSamples"?: { lang: string; source: string }[];
}

export interface ParameterGroup {
  name: string;
  description: string;
  variants?: { name: string; description: string; without: string[] }[];
}

export interface Description {
  info: { description: string };
  /** Parameters with a dotted name, such as `pagination.first`, that are one object in the client. */
  "x-parameterGroups"?: Record<string, ParameterGroup>;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
  };
}

/** A member of an operation's argument: a parameter, or a group of parameters with a dotted name. */
export interface Member {
  name: string;
  required: boolean;
  description: string | undefined;
  /** Its name in the query, the path or the body. */
  wireName: string;
  in: "query" | "path" | "body";
  schema: Schema;
  unit: Schema["x-unit"];
}

export interface Group {
  name: string;
  group: ParameterGroup;
  members: Member[];
}

/** The parts of the response that holds a page. */
interface List {
  /** The member of the response that holds the page. */
  envelope: string;
  /** The name of the schema of a record. */
  record: string;
  /** The names of the schemas around a record: of the response, the page and its edges. */
  wrappers: string[];
}

/** An operation with its references followed, and its result. */
export interface ResolvedOperation extends Operation {
  path: string;
  method: string;
  members: (Member | Group)[];
  /** The name of the type of its argument. */
  argumentsName: string;
  /** The schema of the response with status 200. */
  body: Schema;
  /** Set for a list. */
  list: List | undefined;
}

export const isGroup = (member: Member | Group): member is Group => "members" in member;
export const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);
export const pascalCase = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
export const camelCase = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
export const isNamedEnum = (schema: Schema) => schema.type === "string" && schema.enum !== undefined;

// The linter refuses references and groups of parameters that do not exist.
export const readDescription = (source: string): Description => parse(source);

/** The schema that a reference points to; any other schema as it is. */
export const resolve = (schema: Schema, { components }: Description): Schema =>
  schema.$ref ? (components.schemas[nameOf(schema.$ref)] as Schema) : schema;

export function operationsOf(description: Description): ResolvedOperation[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => resolveOperation(path, method, operation, description)),
  );
}

function resolveOperation(
  path: string,
  method: string,
  operation: Operation,
  description: Description,
): ResolvedOperation {
  const { operationId } = operation;
  const body = operation.responses["200"]?.content?.["application/json"]?.schema;
  if (!body) throw new Error(`${operationId} of openapi.yaml has no JSON response with status 200.`);
  const request = operation.requestBody?.content?.["application/json"]?.schema;
  const members = [...parametersOf(operation, description), ...(request ? bodyMembersOf(request, description) : [])];
  const argumentsName = `${pascalCase(operationId)}Arguments`;
  return { ...operation, path, method, members, argumentsName, body, list: listOf(body, description) };
}

function parametersOf(operation: Operation, description: Description): (Member | Group)[] {
  const members: (Member | Group)[] = [];
  for (const each of operation.parameters ?? []) {
    const parameter = "$ref" in each ? (description.components.parameters[nameOf(each.$ref)] as Parameter) : each;
    const [name = "", groupName] = parameter.name.split(".").reverse();
    const member: Member = {
      name,
      required: parameter.required ?? false,
      description: parameter.description,
      wireName: parameter.name,
      in: parameter.in,
      schema: parameter.schema,
      unit: parameter["x-unit"],
    };
    const known = members.find((other): other is Group => isGroup(other) && other.name === groupName);
    const groups = { ...description["x-parameterGroups"], ...operation["x-parameterGroups"] };
    if (groupName === undefined) members.push(member);
    else if (known) known.members.push(member);
    else members.push({ name: groupName, group: groups[groupName] as ParameterGroup, members: [member] });
  }
  return members;
}

function bodyMembersOf(request: Schema, description: Description): Member[] {
  const { properties = {}, required = [] } = resolve(request, description);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    description: resolve(schema, description).description,
    wireName: name,
    in: "body" as const,
    schema,
    unit: undefined,
  }));
}

/** A list responds with an object that has one member: an object with `edges` and `pageInfo`. */
function listOf(body: Schema, description: Description): List | undefined {
  const [[envelope, schema] = [], ...others] = Object.entries(resolve(body, description).properties ?? {});
  if (envelope === undefined || schema === undefined || others.length > 0) return undefined;
  const { edges, pageInfo } = resolve(schema, description).properties ?? {};
  if (!edges?.items || !pageInfo) return undefined;
  const { node } = resolve(edges.items, description).properties ?? {};
  const reference = node?.$ref ?? node?.anyOf?.find(({ $ref }) => $ref)?.$ref;
  if (!reference) throw new Error(`openapi.yaml has no named schema for the records of \`${envelope}\`.`);
  const wrappers = [body, schema, edges.items].flatMap(({ $ref }) => ($ref ? nameOf($ref) : []));
  return { envelope, record: nameOf(reference), wrappers };
}

/** The schemas that only the argument of an operation uses: their members are members of the argument. */
export function requestSchemasOf({ paths }: Description): string[] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody }) => requestBody?.content?.["application/json"]?.schema.$ref ?? [])
    .map(nameOf);
}

/** The schemas that no request and no response has as a member: the parts of records, and those that a union is made of. */
export function partSchemasOf(description: Description): string[] {
  const { schemas } = description.components;
  const responses = operationsOf(description).flatMap(({ body, list }) => list?.wrappers ?? nameOf(body.$ref ?? ""));
  const messages = [...responses, ...requestSchemasOf(description)].filter((name) => schemas[name]?.properties);
  const wholes = messages.flatMap((name) => [name, ...referencesOf(schemas[name] as Schema)]);
  return Object.entries(schemas)
    .filter(([name]) => !messages.includes(name))
    .flatMap(([, schema]) => referencesOf(schema))
    .filter((name) => !wholes.includes(name) && !isNamedEnum(schemas[name] as Schema));
}

/** The names of the schemas that a schema refers to. */
const referencesOf = (schema: Schema): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = ""]) => nameOf(reference));
