import { operations } from "../../../generated/operations.js";
import type { Operation, OperationId } from "../../arguments/operation.js";

/** The operation of a path, and the parameters in the path. */
export interface Route {
  readonly id: OperationId;
  readonly operation: Operation & { readonly kind: "list" | "single"; readonly envelope?: string };
  readonly parameters: Readonly<Record<string, string>>;
}

const routes = Object.entries(operations).map(([id, operation]) => ({
  id: id as OperationId,
  operation: operation as Route["operation"],
  segments: operation.path.split("/"),
}));

/** Finds the operation of a path; of several, the one with the method. */
export function findRoute(method: string, path: string): Route | undefined {
  const given = path.split("/");
  const found = routes.flatMap(({ id, operation, segments: names }): Route[] => {
    const parameters: Record<string, string> = {};
    const isMatch =
      names.length === given.length &&
      names.every((name, index) => {
        const text = given[index] ?? "";
        if (!name.startsWith("{")) return name === text;
        parameters[name.slice(1, -1)] = text;
        return true;
      });
    return isMatch ? [{ id, operation, parameters }] : [];
  });
  return found.find(({ operation }) => operation.method === method) ?? found[0];
}
