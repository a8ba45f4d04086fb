import { parse } from "yaml";
import { source } from "./description.js";

interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  enum?: string[];
  pattern?: string;
  description?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  items?: Schema;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  description: string;
  parameters: Parameter[];
  "x-parameterGroups"?: Record<string, { name: string; description: string }>;
  responses: Record<string, object>;
}

export interface Description {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

const parsed: Description = parse(source);

/** A copy of the description, to be changed. */
export const description = (): Description => structuredClone(parsed);

/** The text of a description. JSON is YAML, and is written faster. */
export const textOf = (description: Description): string => JSON.stringify(description);
