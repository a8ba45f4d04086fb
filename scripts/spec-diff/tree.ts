/** The tree of a description, as the comparison reads it, and what follows from its references. */

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  [keyword: string]: unknown;
}

interface Body {
  content?: Record<string, { schema?: Schema }>;
}

export interface Response extends Body {
  $ref?: string;
  headers?: Record<string, unknown>;
  [keyword: string]: unknown;
}

export interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses?: Record<string, Response>;
  [keyword: string]: unknown;
}

export interface Tree {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas?: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, Response>;
    headers?: Record<string, Record<string, unknown>>;
  };
  [keyword: string]: unknown;
}

/** A schema can be used in requests, in responses, or in both. */
export type Direction = "request" | "response";

export const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

/** All operations, by method and path. */
export function operationsOf({ paths }: Tree): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  );
}

/** The parameters of an operation, by place and name. */
export function parametersOf({ parameters = [] }: Operation, { components }: Tree): Map<string, Parameter> {
  const resolved = parameters.map((each) => (each.$ref ? (components.parameters?.[nameOf(each.$ref)] ?? each) : each));
  return new Map(resolved.map((each) => [`${each.in} parameter "${each.name}"`, each]));
}

/** Which named schemas some operations use in each direction. */
export function usesOf(operations: Iterable<Operation>, tree: Tree): Map<string, Set<Direction>> {
  const uses = new Map<string, Set<Direction>>();
  for (const operation of operations) {
    follow([...parametersOf(operation, tree).values(), operation.requestBody], "request");
    follow(operation.responses, "response");
  }
  return uses;

  function follow(node: unknown, direction: Direction): void {
    if (typeof node !== "object" || node === null) return;
    if (!("$ref" in node)) {
      for (const value of Object.values(node)) follow(value, direction);
      return;
    }
    const [, kind, name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(String(node.$ref)) ?? [];
    if (kind === "responses") follow(tree.components.responses?.[name], direction);
    if (kind !== "schemas" || uses.get(name)?.has(direction)) return;
    uses.set(name, (uses.get(name) ?? new Set()).add(direction));
    follow(tree.components.schemas?.[name], direction);
  }
}

/** The types of a schema, such as `VoteValue` and `null`. The items of an array and the values of a map are not part of it. */
export function typesOf(schema: Schema): string[] {
  if (schema.$ref) return [nameOf(schema.$ref)];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.flatMap(typesOf);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value));
  return [schema.type ?? "anything"].flat();
}
