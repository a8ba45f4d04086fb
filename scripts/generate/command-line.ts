/** Prints `cli/generated/operation-texts.ts`: the help texts of each operation, and the columns of each list. */
import { type Description, isGroup, operationsOf, resolve, type Schema } from "./description.js";

export function printCommandLine(description: Description): string {
  const texts = operationsOf(description).map(({ operationId, summary, members, list }) => {
    const parameters = members
      .flatMap((member) => (isGroup(member) ? member.members : [member]))
      .filter(({ wireName }) => !wireName.startsWith("pagination."))
      .map(({ wireName, description: text = "" }) => [wireName, firstSentence(text)]);
    const columns = list && columnsOf({ $ref: list.record }, description);
    return [operationId, { summary, arguments: Object.fromEntries(parameters), columns }];
  });
  return `import type { OperationTexts } from "../src/operations.js";

/** The facts that the command line adds to \`operations\`. */
export const operationTexts: OperationTexts = ${JSON.stringify(Object.fromEntries(texts))};
`;
}

const firstSentence = (text: string) => /^.*?\.(?=\s|$)/s.exec(text)?.[0].replaceAll(/\s+/g, " ") ?? text;

const columnsOf = (record: Schema, description: Description) =>
  Object.fromEntries(
    Object.entries(resolve(record, description).properties ?? {}).map(([name, schema]) => [
      name,
      kindOf(resolve(schema, description)),
    ]),
  );

/** How a member of a record is printed. `ColumnKind` of `cli/src/operations.ts` defines the kinds. */
function kindOf({ type, format, pattern, anyOf, "x-unit": unit }: Schema): string {
  if (unit === "unix-nanoseconds") return "time";
  if (unit === "smallest-unit") return "amount";
  const types = [type ?? anyOf?.map((each) => each.type ?? "string") ?? "object"].flat();
  if (types.some((each) => each === "object" || each === "array")) return "json";
  return types.includes("string") && format === undefined && pattern === undefined ? "text" : "exact";
}
