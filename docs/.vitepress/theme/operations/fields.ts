import { operations } from "../../../../generated/operations.js";
import type {
  Arguments,
  ListOperation,
  Operation,
  ParameterPlace,
  Value,
} from "../../../../src/arguments/operation.js";

export type OperationId = keyof typeof operations;

/** An argument of an operation, as a field of the form. */
export type Field = Value &
  ParameterPlace & {
    /** The objects of the client around the argument, as `pagination` for `pagination.first`. */
    group: string | undefined;
    /** Its name in the client, with its group. */
    path: string;
  };

/** What the form holds, by the names of the fields in the client. A field that is empty is not sent. */
export type FormValues = Record<string, string | number | string[]>;

/** What the pages know about an operation. */
interface PageOperation extends Operation {
  readonly kind: "list" | "single";
  readonly cursors?: Pick<NonNullable<ListOperation<unknown>["cursors"]>, "timeMember" | "rejectedWith">;
}

export const operationOf = (id: OperationId): PageOperation => operations[id];

/** Whether a field is a choice of several names. */
export const isChoice = (field: Field): boolean => field.kind === "array" && field.items.kind === "enum";

export const fieldsOf = (id: OperationId): Field[] => flatten(operationOf(id).arguments, undefined);

function flatten(members: Arguments, group: string | undefined): Field[] {
  return Object.entries(members).flatMap(([name, argument]) => {
    const path = group === undefined ? name : `${group}.${name}`;
    return argument.kind === "object" ? flatten(argument.members, path) : [{ ...argument, group, path }];
  });
}

/** The values of a field as texts; none if it is empty. */
export function textsOf(field: Field, values: FormValues): string[] {
  const value = values[field.path] ?? "";
  const texts = Array.isArray(value) ? value : `${value}`.split(field.kind === "array" ? "\n" : /$^/);
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}
