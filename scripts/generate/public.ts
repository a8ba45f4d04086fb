/** Prints `generated/public.ts`: what the package exports of the other files of `generated/`. */
import { argumentNamesOf } from "./client.js";
import {
  type Description,
  isNamedEnum,
  operationsOf,
  partSchemasOf,
  requestSchemasOf,
  type Schema,
} from "./description.js";

export function printPublic(description: Description): string {
  const { schemas } = description.components;
  const wrappers = operationsOf(description).flatMap(({ list }) => list?.wrappers ?? []);
  const omitted = [...requestSchemasOf(description), ...wrappers, ...partSchemasOf(description)];
  const names = Object.keys(schemas).filter((name) => !isNamedEnum(schemas[name] as Schema) && !omitted.includes(name));
  return [
    'export * from "./enums.js";\n',
    `export type { ${[...argumentNamesOf(description), ...names].sort().join(", ")} } from "./types.js";\n`,
  ].join("");
}
