import { readFileSync } from "node:fs";
import { parse } from "yaml";

interface Example {
  value: unknown;
}

interface Schema {
  enum?: string[];
  properties?: Record<string, { description: string }>;
}

interface Operation {
  operationId: string;
  description: string;
  "x-codeSamples": { lang: string; source: string }[];
  parameters?: { $ref?: string; name: string; description: string }[];
  responses: Record<string, { $ref?: string; content: { "application/json": { examples: Record<string, Example> } } }>;
}

export const source = readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8");

/** The description as a tree, with what the tests look up in it. */
export const description: {
  paths: Record<string, Record<string, Operation>>;
  components: {
    parameters: Record<string, { name: string; description: string }>;
    responses: Record<string, { content: { "application/json": { examples: Record<string, Example> } } }>;
    schemas: Record<string, Schema>;
  };
} = parse(source);

export const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

export function operation(id: string) {
  const found = operations.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`openapi.yaml has no operation ${id}`);
  return found;
}

/** The examples of a response, by name. */
export function examples(id: string, status: string): Record<string, Example> {
  const response = operation(id).responses[status];
  const resolved = response?.$ref ? description.components.responses[response.$ref.split("/").at(-1) ?? ""] : response;
  return resolved?.content["application/json"].examples ?? {};
}
