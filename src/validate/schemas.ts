import { componentShapes } from "../../generated/shapes.js";
import type { ComponentTypes } from "../../generated/types.js";
import { formatPath, type Shape } from "./shape.js";

/** A schema with the interface of Standard Schema 1.1, which libraries for forms, routes and procedures take. */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "vegaprotocol-client";
    /** Only for the compiler. */
    readonly types?: { readonly input: T; readonly output: T } | undefined;
    /** Returns the value itself if it matches, otherwise the first hundred places that do not. */
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: T; readonly issues?: undefined }
      | { readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[] };
  };
}

/** A schema for each named component of the description, except enumerations. */
export type Schemas = { readonly [Name in keyof ComponentTypes]: Schema<ComponentTypes[Name]> };

/**
 * A [Standard Schema](https://standardschema.dev) for each named component of the description, except enumerations:
 * `schemas.Vote` for a vote, `schemas.VoteList` for the response of `listVotes`, `schemas.Transaction` for a
 * transaction, and so on. They accept what {@link validateAnswers} accepts.
 *
 * @example
 * ```ts
 * const result = schemas.Transaction["~standard"].validate({ pubKey: 5 });
 * console.log(result.issues); // [{ message: "Expected `pubKey` to be a string, got 5.", path: ["pubKey"] }]
 * ```
 */
export const schemas: Schemas = /* @__PURE__ */ createSchemas();

function createSchemas(): Schemas {
  const entries = Object.entries(componentShapes).map(([name, shape]) => [name, schemaOf(shape)]);
  return Object.fromEntries(entries) as Schemas;
}

function schemaOf(shape: Shape): Schema<never> {
  return {
    "~standard": {
      version: 1,
      vendor: "vegaprotocol-client",
      validate: (value) => {
        const issues = shape.explain(value).map(({ path, expected, got }) => ({
          message: `Expected ${path.length > 0 ? `\`${formatPath(path)}\`` : "the value"} to be ${expected}, got ${got}.`,
          path,
        }));
        return issues.length > 0 ? { issues } : { value: value as never };
      },
    },
  };
}
