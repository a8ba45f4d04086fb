/**
 * Responses checked against the OpenAPI description, and schemas for other libraries.
 *
 * @privateRemarks
 * `generated/shapes.ts` has a shape for each type of the description, made of the few kinds in `shape.ts`. A shape
 * explains a value: it returns its mismatches with their paths. `validateAnswers` explains each response, and `schemas`
 * offers the shapes as Standard Schemas. Unknown members and names pass, because newer nodes send them.
 *
 * @module vegaprotocol-client/validate
 */
import { componentShapes, responseShapes } from "../../generated/shapes.js";
import type { ComponentTypes } from "../../generated/types.js";
import { checkedWhenRead, checkOptions } from "../arguments/check-options.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import { ResponseError } from "../errors/index.js";
import type { CheckedAnswer } from "../http/request.js";
import { formatPath, mostFindings, type Shape } from "./shape.js";

export type { CheckedAnswer } from "../http/request.js";

/** A response that does not match the OpenAPI description. */
export interface AnswerMismatch extends CheckedAnswer {
  /** The places that do not match: the first hundred of them. */
  mismatches: {
    /** The path of the value, such as `votes.edges[3].node.value`; empty for the response itself. */
    path: string;
    /** The type that the description requires, such as `a string`. */
    expected: string;
    /** The received value. */
    got: string;
  }[];
}

/**
 * Returns a function for the option `validate` of `createClient`, which checks responses against the OpenAPI
 * description. Wrong types and missing members are reported with their path. Unknown members, unknown names of
 * enumerations and any content of a string are accepted.
 *
 * @param options.onMismatch - The reaction to a response that does not match the description. `"throw"` rejects the
 * call with a `ResponseError`, whose `body` is the whole response. A function is called with the mismatch, and the call
 * continues. If the function throws, the call rejects with that error. If it returns a promise, the call waits for it
 * and rejects if the promise rejects.
 * @throws `ArgumentError` if an option is unknown, or `onMismatch` is neither `"throw"` nor a function.
 * @example
 * ```ts
 * const client = createClient({ baseUrl, validate: validateAnswers({ onMismatch: "throw" }) });
 * ```
 */
export function validateAnswers(options: {
  onMismatch: "throw" | ((mismatch: AnswerMismatch) => void);
}): (received: CheckedAnswer) => void {
  const rule = "must be a call, `validateAnswers({ onMismatch })`, not the function itself";
  if ("body" in Object(options)) refuseByRule({ argument: "validate" }, rule);
  checkOptions({ onMismatch: checkedWhenRead }, options, { name: "validateAnswers" });
  const { onMismatch } = options;
  if (onMismatch !== "throw" && typeof onMismatch !== "function") {
    refuse({ argument: "onMismatch" }, '"throw" or a function', onMismatch);
  }
  return (received) => {
    const { operation, operationId, body, request, response, attempts } = received;
    const findings = responseShapes[operationId].explain(body);
    if (findings.length === 0) return;
    const mismatches = findings.map(({ path, ...finding }) => ({ path: formatPath(path), ...finding }));
    // The function may return a promise, which the call waits for.
    if (onMismatch !== "throw") return onMismatch({ ...received, mismatches });
    const [first, ...others] = mismatches;
    const count = mismatches.length === mostFindings ? `at least ${others.length}` : others.length;
    const more = others.length > 0 ? ` (and in ${count} more ${others.length === 1 ? "place" : "places"})` : "";
    throw new ResponseError(
      `${operation} received a response that does not match the OpenAPI description: expected ` +
        `\`${first?.path || "the response"}\` to be ${first?.expected}, got ${first?.got}${more}, from ${request.url}`,
      { operation, attempts, response, body },
    );
  };
}

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
