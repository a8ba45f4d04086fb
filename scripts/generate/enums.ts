/** Prints `generated/enums.ts`: for each enumeration its type, its known names and a guard. */
import { camelCase, type Description, isNamedEnum } from "./description.js";
import { comment } from "./printing.js";

export function printEnums({ components }: Description): string {
  return Object.entries(components.schemas)
    .filter(([, schema]) => isNamedEnum(schema))
    .map(([name, schema]) => {
      const values = (schema.enum ?? []).map((value) => JSON.stringify(value));
      const meanings = Object.entries(schema["x-enumDescriptions"] ?? {}).map(
        ([value, meaning]) => `- \`${value}\`: ${meaning}`,
      );
      const list = enumListOf(name);
      return [
        comment([schema.description, "", ...meanings].join("\n")),
        `export type ${name} =\n${values.map((value) => `  | ${value}`).join("\n")};\n\n`,
        comment(`The known names of {@link ${name}}. A newer node can return other names.`),
        `export const ${list} = [\n${values.map((value) => `  ${value},`).join("\n")}\n] as const satisfies readonly ${name}[];\n\n`,
        comment(`Returns whether a value from a node is one of the known names of {@link ${name}}.`),
        `export function is${name}(value: unknown): value is ${name} {\n`,
        `  return (${list} as readonly unknown[]).includes(value);\n}\n`,
      ].join("");
    })
    .join("\n");
}

/** The constant that holds the known names of an enumeration. */
export const enumListOf = (name: string) => `${camelCase(name)}s`;
